// Normalises a message of a server before the SDK checks it. The SDK refuses a whole message because of one odd field of its envelope, such
// as `"error": null` next to a result, and then the result of a call that ran is lost.

import { INTERNAL_ERROR, isJSONRPCResponse, RELATED_TASK_META_KEY } from "@modelcontextprotocol/client";

import { fieldsOf, isEmptyList, isObject, textOrJson } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";
import { isVisible } from "#lib/visible-text.ts";

/**
 * Whether a parsed value has a field by which it can be read as a message. For every other value the SDK creates an error for each kind of
 * message.
 */
export function isLikeMessage(value: unknown): value is Fields {
  if (!isObject(value)) return false;
  const { method, result, error, id } = value;
  return typeof method === "string" || result !== undefined || error !== undefined || isId(id);
}

/** Whether a parsed value is a message, or has one in a list, that states the version of the protocol. */
export function hasMessage(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => !Array.isArray(each) && hasMessage(each));
  const { jsonrpc, method, result, error } = fieldsOf(value);
  return typeof jsonrpc === "string" && (typeof method === "string" || result !== undefined || isProblem(error));
}

/** Whether a parsed value is read as a response. */
function isLikeResponse(value: unknown): boolean {
  if (!isLikeMessage(value)) return false;
  const { method, result, error } = value;
  return typeof method !== "string" || isObject(result) || isProblem(error);
}

/** The request to which a response without a usable id belongs. */
export interface ResponseOwner {
  id: number;
  /** Whether the session has sent a request with this id. A response with any other id belongs to the owner. */
  isSent: (id: number) => boolean;
  /** Whether nothing that may be of the request was received before the message that is read. */
  isFirst: () => boolean;
}

/**
 * Returns the normalised messages of a batch. A response without a usable id belongs to `request` if it is the only response. A further message
 * of the batch may be of the request.
 */
export function plainMessages(batch: readonly unknown[], request?: ResponseOwner): unknown[] {
  const owner = batch.filter(isLikeResponse).length === 1 ? request : undefined;
  const inBatch = owner && { ...owner, isFirst: () => batch.length === 1 && owner.isFirst() };
  return batch.map((message) => plainMessage(message, inBatch));
}

/**
 * Returns a parsed message with an envelope that the SDK accepts. A result that the SDK accepts as it is, and a value that is no message, are
 * returned unchanged.
 */
export function plainMessage(value: unknown, request?: ResponseOwner): unknown {
  if (!isLikeMessage(value)) return value;
  const { method, params, result, error } = value;
  const id = isId(value["id"]) ? value["id"] : undefined;
  // Without a check by the SDK's schemas: a server may send many notifications, and the result is the same for those that the SDK accepts.
  if (typeof method === "string" && !isLikeResponse(value)) {
    return { ...envelope(id), method, ...(isObject(params) ? { params: plainMeta(withoutNulls(params)) } : {}) };
  }
  const isOfRequest = id !== undefined && (request === undefined || request.isSent(Number(id)));
  const owner = envelope(isOfRequest ? id : (request?.id ?? id));
  if (isProblem(error)) {
    const isRefusal = !isOfRequest && request?.isFirst() === true;
    return { ...owner, error: { ...plainError(error), data: sentData(isRefusal) } };
  }
  if (isOfRequest && isJSONRPCResponse(value)) return value;
  if (isObject(result)) return { ...owner, result: plainMeta(result) };
  // PHP writes an empty list for an object without fields.
  if (result === null || isEmptyList(result)) return { ...owner, result: {} };
  const message = result === undefined ? "The response has no result." : "The field `result` is no object.";
  return { ...owner, error: { code: INTERNAL_ERROR, message } };
}

function envelope(id: string | number | undefined): Fields {
  return { jsonrpc: "2.0", ...(id === undefined ? {} : { id }) };
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** Whether the field `error` reports an error. Some servers send an empty value in place of an absent field. */
function isProblem(error: unknown): boolean {
  if (isObject(error)) return Object.values(error).some(isProblem);
  return Array.isArray(error) ? error.length > 0 : Boolean(error);
}

function plainError(error: unknown): Fields {
  const { code, message } = fieldsOf(error);
  const number = typeof code === "string" && /^-?\d{1,9}$/.test(code) ? Number(code) : code;
  const given = isObject(error) ? (message ?? "") : error;
  const text = textOrJson(given);
  return {
    code: Number.isSafeInteger(number) ? number : INTERNAL_ERROR,
    message: isVisible(text) ? text : "The server states no reason.",
  };
}

/**
 * The data of an error that a server sent, in place of the server's own, which no call uses. The errors that `server-fetch.ts` adds have codes
 * that servers use as well, such as -32000.
 */
function sentData(isRefusal: boolean): Fields {
  return { sentBy: "server", isRefusal };
}

/**
 * Whether an error's data is that of an error that a server sent; null for other errors. `isRefusal`: the error has not the id of a request, and
 * nothing of the request was received before it, so the server may have refused the message before it handled it.
 */
export function readSentData(data: unknown): { isRefusal: boolean } | null {
  const { sentBy, isRefusal } = fieldsOf(data);
  return sentBy === "server" ? { isRefusal: isRefusal === true } : null;
}

/**
 * The parameters of a notification or of a request without null in place of absent fields, at any depth. The data of a log message may be any
 * value.
 */
function withoutNulls(params: Fields): Fields {
  const fields = Object.entries(params).filter(([, value]) => value !== null);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, isObject(value) && name !== "data" ? withoutNulls(value) : value]),
  );
}

/** The fields without an odd `_meta`, or without the odd fields of it that the SDK checks. */
function plainMeta({ _meta: meta, ...fields }: Fields): Fields {
  if (!isObject(meta)) return fields;
  // oxlint-disable-next-line typescript/no-deprecated -- the versions that are negotiated have tasks
  const { progressToken, [RELATED_TASK_META_KEY]: task, ...more } = meta;
  return {
    ...fields,
    _meta: {
      ...more,
      ...(isId(progressToken) ? { progressToken } : {}),
      // oxlint-disable-next-line typescript/no-deprecated -- the versions that are negotiated have tasks
      ...(typeof fieldsOf(task)["taskId"] === "string" ? { [RELATED_TASK_META_KEY]: task } : {}),
    },
  };
}
