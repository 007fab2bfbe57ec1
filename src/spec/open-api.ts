// Definitions of HTTP APIs that an OpenAPI document describes. The operations of the document are tools of the project's prompts.

/** The context that the functions of a definition receive. */
export interface OpenApiContext {
  /** The variables and secrets of the deployment. */
  env: Readonly<Record<string, unknown>>;
  /** The owner of the thread. Null for a thread without an owner. */
  userId: string | null;
  /** Id of the thread; empty if the list of tools is requested outside of a thread. */
  threadId: string;
}

/**
 * Credentials of the API. `bearer` is also for OAuth 2 and OpenID Connect: a function of the definition returns the token. For another scheme
 * use `apiKey` in the header `authorization`.
 */
export type OpenApiCredential =
  | { type: "bearer"; token: string }
  | { type: "basic"; username: string; password: string }
  | { type: "apiKey"; in: "header" | "query" | "cookie"; name: string; value: string };

/** The address of a document. The document is kept in memory for five minutes. */
export interface OpenApiAddress {
  /** The address. It has to be https and public, or its host has to be in `allowedHosts`. */
  url: string | ((context: OpenApiContext) => string);
  /** Headers of the request for the document. The credentials of the API are not sent to this address. */
  headers?: Readonly<Record<string, string>> | ((context: OpenApiContext) => Readonly<Record<string, string>>);
}

/** A call of an operation, as the rule for approvals receives it. */
export interface OpenApiCall {
  /** The operation's id in the document. */
  operation: string;
  /** The HTTP method, in capital letters. */
  method: string;
  /** The path in the document, with its variables in braces. */
  path: string;
  args: Record<string, unknown>;
}

/** A response, as the function `shapeResponse` receives it. */
export interface OpenApiResponse {
  /** The operation's id in the document. */
  operation: string;
  status: number;
  /** The parsed JSON of the body, or its text. */
  body: unknown;
}

/** An HTTP API with an OpenAPI document (3.0 or 3.1). A prompt lists its operations as `prefix__operationId`, or all of them as `prefix__*`. */
export interface OpenApiDefinition<N extends string = string, P extends string = N> {
  name: N;
  /** The document: its text in JSON or YAML, its parsed value such as an imported JSON file, or its address. */
  document: string | OpenApiAddress | Readonly<Record<string, unknown>>;
  /** The address of the API. Default: the first server of the document. */
  baseUrl?: string | ((context: OpenApiContext) => string);
  /** Values of the variables in the addresses of the document's servers. Default: those of the document. */
  serverVariables?: Readonly<Record<string, string>>;
  /** The credentials of every request. Use a function to read a secret: `({ env }) => ({ type: "bearer", token: String(env.TOKEN) })`. */
  auth?:
    | OpenApiCredential
    | readonly OpenApiCredential[]
    | ((
        context: OpenApiContext,
      ) =>
        | OpenApiCredential
        | readonly OpenApiCredential[]
        | Promise<OpenApiCredential | readonly OpenApiCredential[]>);
  /**
   * Hosts of the document's servers to which credentials and headers are sent, such as `api.example.com` or `localhost:8080`. Needed only
   * if the document is loaded from an address, `baseUrl` is absent, and a server has another origin than the document.
   */
  credentialHosts?: readonly string[];
  /** Headers of every request to the API. They have precedence over parameters of the document. */
  headers?: Readonly<Record<string, string>> | ((context: OpenApiContext) => Readonly<Record<string, string>>);
  /** The beginning of the names of the tools, before `__`. Default: the name of the definition. */
  prefix?: P;
  /** The ids of the operations that are offered. Default: all. An operation has to match all filters of the definition. */
  operations?: readonly string[];
  /** Offers the operations that have one of these tags. */
  tags?: readonly string[];
  /** Offers the operations with one of these HTTP methods, in capital letters. */
  methods?: readonly ("GET" | "PUT" | "POST" | "DELETE" | "OPTIONS" | "HEAD" | "PATCH")[];
  /** Offers the operations whose path in the document begins with this text. */
  pathPrefix?: string;
  /** Whether operations without an id are offered, with names made of their method and path. Default false: they are only logged. */
  unnamedOperations?: boolean;
  /** Whether parameters in cookies are arguments. Default false: they are ignored. */
  cookies?: boolean;
  /** Milliseconds that a request may take. Default 30,000. */
  timeoutMs?: number;
  /** The maximum number of bytes of a response's text that a model reads. Default 65,536. The rest is cut off. */
  maxResponseBytes?: number;
  /** Returns what a model reads instead of the whole body: a text, or a value that is written as JSON. */
  shapeResponse?: (response: OpenApiResponse, context: OpenApiContext) => unknown;
  /**
   * The calls that a person has to approve: all, those of the operations with these ids, or those for which the function does not return
   * false.
   */
  needsApproval?:
    | boolean
    | readonly string[]
    | ((call: OpenApiCall, context: OpenApiContext) => boolean | Promise<boolean>);
  /** Hosts in private networks that the addresses may have, in the notation of `ALLOWED_OUTBOUND_HOSTS`. */
  allowedHosts?: readonly string[];
}

/** An API with any name: the type of APIs in the registry. */
export type AnyOpenApiDefinition = OpenApiDefinition<string, string>;

/** Declares an API with an OpenAPI document and returns the definition unchanged. */
export function defineOpenApi<N extends string, P extends string = N>(
  api: OpenApiDefinition<N, P>,
): OpenApiDefinition<N, P> {
  return api;
}
