// The capabilities that a client has stated in its request `initialize`. The server stores no session: the id of a session contains the
// capabilities that later requests need, so every isolate can answer these requests. The id gives no rights, because each request has its
// own credentials.

import { v4 as randomId } from "uuid";

import { invalidField } from "#http/input/field-error.ts";
import { isObject } from "#lib/json-value.ts";

/** The protocol versions of the server, the newest first. */
const protocolVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** The version of a request without the header, by the specification. */
const assumedVersion = "2025-03-26";

const idHeader = "mcp-session-id";
const versionHeader = "mcp-protocol-version";

/** The session of a request. */
export interface ClientSession {
  /** Null for a client that sends no session id. Its calls cannot be cancelled or repeated. */
  id: string | null;
  /** Whether the client can ask a person (the capability `elicitation`). */
  elicits: boolean;
  /** Whether the client accepts an event without data, which gives the stream an id before its first message. */
  primes: boolean;
}

/**
 * The protocol version of the response to a client that requests `version`: the same one if the server supports it, otherwise the newest
 * one.
 */
export function negotiatedVersion(version: string): string {
  return protocolVersions.find((known) => known === version) ?? protocolVersions[0];
}

/** The headers of the response to `initialize`. */
export function newSessionHeaders(capabilities: unknown): Record<string, string> {
  const elicitation = isObject(capabilities) ? capabilities["elicitation"] : undefined;
  // A client that can only open URLs states `{url: {}}`. A client that states `{}` can show forms.
  const elicits = isObject(elicitation) && (elicitation["url"] === undefined || elicitation["form"] !== undefined);
  return { [idHeader]: `${elicits ? "e" : "n"}-${randomId()}` };
}

/** Reads the session of a request. Throws `invalid_request` for an id or a protocol version that the server does not know. */
export function readSession({ headers }: Request): ClientSession {
  const version = headers.get(versionHeader) ?? assumedVersion;
  if (!protocolVersions.some((known) => known === version)) {
    throw invalidField("MCP-Protocol-Version", `Is not one of ${protocolVersions.join(", ")}`);
  }
  const id = headers.get(idHeader);
  if (id !== null && !/^[en]-[\da-f-]{36}$/.test(id)) {
    throw invalidField("Mcp-Session-Id", "Is not an id of this server. Initialize a new session");
  }
  return { id, elicits: id?.startsWith("e") ?? false, primes: version >= "2025-11-25" };
}
