// The closed set of error codes and its two tables, of HTTP statuses and of close codes.

import { expect, it } from "vitest";

import {
  errorBodySchema,
  errorCodes,
  httpStatus,
  refuse,
  ThreadholdError,
  tooSlowCloseCode,
  webSocketCloseCode,
} from "#contract/error.ts";

it("ERROR1 Every error code has an HTTP status of its kind", () => {
  const statuses = new Set(errorCodes.map(httpStatus));
  expect([...statuses].sort((a, b) => a - b)).toEqual([
    400, 401, 403, 404, 405, 409, 413, 415, 416, 422, 426, 429, 500, 501, 503,
  ]);
  for (const code of errorCodes) if (code.endsWith("_not_found")) expect(httpStatus(code)).toBe(404);
});

it("ERROR1 Every error code has a WebSocket close code of the range for applications", () => {
  for (const code of [...errorCodes.map(webSocketCloseCode), tooSlowCloseCode]) {
    expect(code === 1011 || code === 1013 || (code >= 4000 && code < 5000), String(code)).toBe(true);
  }
  expect(webSocketCloseCode("invalid_request")).toBe(4400);
});

it("ERROR3 A refusal has a code of the closed set", () => {
  const error = refuse("conflict", "Not now.", { field: "x" });
  expect(error).toBeInstanceOf(ThreadholdError);
  expect([error.code, error.refusal]).toEqual([
    "conflict",
    { code: "conflict", message: "Not now.", details: { field: "x" } },
  ]);
  expect(errorBodySchema.safeParse({ error: { code: "made_up", message: "" } }).success).toBe(false);
});
