// The routes of the local server for Cloudflare's API, and their errors.

/** A request to the API. */
export interface ApiRequest {
  method: string;
  /** Without the account. */
  path: string;
  url: URL;
  body: Response;
}

/** A response of the API. */
export interface Reply {
  status: number;
  body: unknown;
  /** Default: application/json. */
  type?: string;
}

/** A route. `handle` returns the fields of a successful response, `result` and `result_info`. */
export interface Route {
  method: string;
  pattern: RegExp;
  handle: (parameters: string[], request: ApiRequest) => Promise<object>;
}

/** A refusal, in the form of Cloudflare's API. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  reply(): Reply {
    const { status, code, message } = this;
    return { status, body: { success: false, errors: [{ code, message }], messages: [], result: null } };
  }
}
