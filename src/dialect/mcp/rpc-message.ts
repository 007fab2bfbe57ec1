// JSON-RPC messages of MCP: what a client may post, and the responses to requests. A message that has another form is refused by the
// route, like any wrong body. A request that has the right form and cannot be answered gets a JSON-RPC error.

import { z } from "zod";

import type { ThreadholdError } from "#contract/error.ts";
import { jsonObjectSchema, jsonSchema } from "#contract/json.ts";
import type { JsonObject } from "#contract/json.ts";
import { parseWithin } from "#http/input/parse-input.ts";
import { isObject } from "#lib/json-value.ts";

const version = z.literal("2.0");

/** The id of a request, which its client chose. */
export const requestIdSchema = z.union([z.string().max(200), z.number().int()]);
/** The id of a request. */
export type RequestId = z.infer<typeof requestIdSchema>;

const method = z.string().min(1).max(200);
const params = jsonObjectSchema.optional();

const requestSchema = z.strictObject({ jsonrpc: version, id: requestIdSchema, method, params });
const notificationSchema = z.strictObject({ jsonrpc: version, method, params });
const errorSchema = z.strictObject({ code: z.number().int(), message: z.string(), data: jsonSchema.optional() });
/**
 * The response to a request of the server. The server's ids contain the id of a call, which can be long. The values of the result are
 * checked when its call is known.
 */
const responseSchema = z.union([
  z.strictObject({ jsonrpc: version, id: z.string().max(1100), result: z.record(z.string(), z.unknown()) }),
  z.strictObject({ jsonrpc: version, id: z.string().max(1100), error: errorSchema }),
]);

/** A request of a client. */
export type RpcRequest = z.infer<typeof requestSchema>;
/** A notification of a client. */
export type RpcNotification = z.infer<typeof notificationSchema>;
/** A client's response to a request of the server. */
export type RpcResponse = z.infer<typeof responseSchema>;

/** Any message that a client may post. */
export const rpcMessageSchema = z.union([requestSchema, notificationSchema, responseSchema], {
  error: "Send one JSON-RPC 2.0 message: a request, a notification or a response. Batches are not supported",
});

/** Whether a body is meant as a response. The other messages have a method. */
export function isResponse(body: unknown): boolean {
  return isObject(body) && !("method" in body) && "result" in body;
}

/** The error codes that the server uses. */
const codes = { methodNotFound: -32_601, invalidParams: -32_602, internal: -32_603, resourceNotFound: -32_002 };

/** A request that gets a JSON-RPC error in place of a result. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: keyof typeof codes, message: string) {
    super(message);
    this.name = "RpcError";
    this.code = codes[code];
  }
}

/** The text of a response with a result. */
export function resultMessage(id: RequestId, result: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

/** The text of a response with an error. */
export function errorMessage(id: RequestId, { code, message }: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}

/** The JSON-RPC error for a refusal of the API. */
export function refusalError({ code, message }: ThreadholdError): RpcError {
  if (code === "invalid_request") return new RpcError("invalidParams", message);
  const isMissing = code === "thread_not_found" || code === "file_not_found";
  return new RpcError(isMissing ? "resourceNotFound" : "internal", `${code}: ${message}`);
}

/** The text of a notification or of a request of the server. */
export function sentMessage(message: { id?: string; method: string; params: JsonObject }): string {
  return JSON.stringify({ jsonrpc: "2.0", ...message });
}

/** Reads the parameters of a request. Throws `RpcError` with the first wrong field, and `too_large` for a check of too much work. */
export function readParams<S extends z.ZodType>(schema: S, given: JsonObject | undefined): z.output<S> {
  const read = parseWithin(schema, given ?? {});
  if (read.success) return read.data as z.output<S>;
  throw new RpcError("invalidParams", firstIssue(read.error));
}

/** The first problem that a schema found, with the path of its field. */
export function firstIssue({ issues }: z.ZodError): string {
  const [issue] = issues;
  const path = issue?.path.map(String).join(".") ?? "";
  return path === "" ? (issue?.message ?? "Invalid input") : `${path}: ${issue?.message ?? "Invalid input"}`;
}
