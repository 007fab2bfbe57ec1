// Reads the header `Idempotency-Key` with a fingerprint of the request: the same key with another body is a conflict.

import type { RequestKey } from "#core/rpc/thread-rpc.ts";
import { canonicalJson } from "#lib/canonical-json.ts";
import { sha256Hex } from "#lib/sha256.ts";

import { invalidField } from "./field-error.ts";

const keyHeader = "idempotency-key";

/** Returns the key of a request; null without one. `route` distinguishes two routes with equal bodies. */
export async function readRequestKey(request: Request, route: string, body: unknown): Promise<RequestKey | null> {
  const key = request.headers.get(keyHeader);
  if (key === null) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalidField("Idempotency-Key", "Takes 1 to 255 printable ASCII characters without spaces");
  }
  return { key, fingerprint: await fingerprint(route, body) };
}

/** A hash that is equal for equal requests. */
export function fingerprint(route: string, body: unknown): Promise<string> {
  return sha256Hex(`${route}\n${canonicalJson(body)}`);
}
