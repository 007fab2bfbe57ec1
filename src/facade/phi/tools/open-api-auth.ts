// The credentials of an API (phi-core, OpenApiAuth; REQ-138). The value is in no text, JSON or print of the object.

import type { OpenApiCredential } from "#spec/index.ts";

import { inspectSymbol } from "../printed.ts";

const hidden = "****";

let credentialOf: (auth: OpenApiAuth) => OpenApiCredential | null;

/** The credentials of every request to an API. */
export class OpenApiAuth {
  readonly #credential: OpenApiCredential | null;
  readonly #shown: unknown;
  readonly #text: string;

  static {
    credentialOf = (auth) => auth.#credential;
  }

  private constructor(credential: OpenApiCredential | null, shown: unknown, text: string) {
    this.#credential = credential;
    this.#shown = shown;
    this.#text = text;
    Object.freeze(this);
  }

  /** No credentials. */
  static none(): OpenApiAuth {
    return new OpenApiAuth(null, "None", "None");
  }

  /** A token, sent as `authorization: Bearer …`. */
  static bearer(token: string): OpenApiAuth {
    return new OpenApiAuth({ type: "bearer", token }, { Bearer: hidden }, `Bearer("${hidden}")`);
  }

  /** A key, sent as the header. */
  static apiKey(header: string, value: string): OpenApiAuth {
    const text = `ApiKey { header: ${JSON.stringify(header)}, value: "${hidden}" }`;
    const credential = { type: "apiKey", in: "header", name: header, value } as const;
    return new OpenApiAuth(credential, { ApiKey: { header, value: hidden } }, text);
  }

  /** The kind and the header, with `****` in place of the value. */
  toJSON(): unknown {
    return this.#shown;
  }

  /** As phi-core prints it, with `****` in place of the value. */
  toString(): string {
    return this.#text;
  }

  /** As `toString`, for `console.log`. */
  [inspectSymbol](): string {
    return this.#text;
  }
}

/** The credential of an auth, for requests; null if it has none. */
export function openApiCredential(auth: OpenApiAuth): OpenApiCredential | null {
  return credentialOf(auth);
}
