// The closed set of error codes and its two tables, of HTTP statuses and of close codes.

import { expect, it } from "vitest";

import { errorBodySchema } from "#contract/error-body.ts";
import {
  errorCodes,
  httpStatus,
  refuse,
  ThreadholdError,
  tooSlowCloseCode,
  webSocketCloseCode,
} from "#contract/error.ts";

it("ERROR1 Every error code has one of 15 HTTP statuses, and each code that ends in _not_found has 404", () => {
  const statuses = new Set(errorCodes.map(httpStatus));
  expect([...statuses].sort((a, b) => a - b)).toEqual([
    400, 401, 403, 404, 405, 409, 413, 415, 416, 422, 426, 429, 500, 501, 503,
  ]);
  for (const code of errorCodes) if (code.endsWith("_not_found")) expect(httpStatus(code)).toBe(404);
});

it("ERROR1 Every error code has a WebSocket close code from 4000 to 4999, or 1011 or 1013", () => {
  for (const code of [...errorCodes.map(webSocketCloseCode), tooSlowCloseCode]) {
    expect(code === 1011 || code === 1013 || (code >= 4000 && code < 5000), String(code)).toBe(true);
  }
  expect(webSocketCloseCode("invalid_request")).toBe(4400);
});

it("ERROR3 An error keeps its code, and a body with a code outside of the closed set does not fit the schema", () => {
  const error = refuse("conflict", "Not now.", { field: "x" });
  expect(error).toBeInstanceOf(ThreadholdError);
  expect([error.code, error.refusal]).toEqual([
    "conflict",
    { code: "conflict", message: "Not now.", details: { field: "x" } },
  ]);
  expect(errorBodySchema.safeParse({ error: { code: "made_up", message: "" } }).success).toBe(false);
});
