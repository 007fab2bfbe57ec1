// A refusal as the answer to a request that the object serves itself.

import { httpStatus } from "#contract/error.ts";
import type { Refusal } from "#contract/error.ts";

/** The same body and status as everywhere else. */
export function refusalResponse(refusal: Refusal): Response {
  const { code, message, details, retry_after_ms } = refusal;
  const body = { error: { code, message, ...(details === undefined ? {} : { details }) } };
  const headers = retry_after_ms === undefined ? {} : { "retry-after": String(Math.ceil(retry_after_ms / 1000)) };
  return Response.json(body, { status: httpStatus(code), headers });
}
