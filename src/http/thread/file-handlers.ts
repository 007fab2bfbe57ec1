// The routes of a thread's files. The thread's object handles them. The Worker builds the internal request from validated values
// and passes the client's body on as a stream without reading it.

import { errorBodySchema } from "#contract/error-body.ts";
import { ThreadholdError, refuse } from "#contract/error.ts";
import type { JsonObject } from "#contract/json.ts";
import { callerHeader, filesPath } from "#core/rpc/thread-rpc.ts";
import { discardBody } from "#lib/discard-body.ts";
import { readTagCondition } from "#lib/entity-tag.ts";
import { isMediaType } from "#lib/media-type.ts";
import { ownResponseJson } from "#lib/untrusted/own-json.ts";

import { invalidField } from "../input/field-error.ts";
import type { Call, Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { withStub } from "./call-thread.ts";

type FileRoutes = "readFile" | "putFile" | "deleteFile" | "moveFile" | "searchFiles" | "fileStats";

/** Request headers that select the bytes of a response or make a write conditional. */
const conditions = ["if-match", "if-none-match", "if-range", "range"];

export function fileHandlers(services: Services): Pick<Handlers, FileRoutes> {
  return {
    async readFile(call) {
      // The path may be that of a folder with many entries.
      await services.limits.list(call.caller);
      return ask(services, call, { operation: "content", path: call.params.path });
    },
    async putFile(call) {
      const upload = call.query.mkdir !== true;
      checkConditions(call.request.headers);
      if (upload) checkUpload(call.request.headers);
      try {
        await services.limits.change(call.caller);
      } catch (thrown) {
        // The body is read to its end; otherwise the sender might not receive the refusal.
        await discardBody(call.request);
        throw thrown;
      }
      return ask(services, call, { operation: "content", path: call.params.path, upload });
    },
    async deleteFile(call) {
      checkConditions(call.request.headers);
      await services.limits.change(call.caller);
      return ask(services, call, { operation: "content", path: call.params.path });
    },
    async moveFile(call) {
      await services.limits.change(call.caller);
      return ask(services, call, { operation: "move", fields: call.body });
    },
    searchFiles: (call) => services.limits.search(call.caller, () => ask(services, call, { operation: "search" })),
    async fileStats(call) {
      await services.limits.list(call.caller);
      return ask(services, call, { operation: "stats" });
    },
  };
}

/** What all calls about files have in common. */
type FileCall = Omit<Call<"fileStats">, "query" | "body">;

interface FileOperation {
  operation: "content" | "move" | "search" | "stats";
  /** Values of the request's body, which are passed on as query. */
  fields?: Readonly<Record<string, string>>;
  path?: string;
  /** Whether the body is passed on. Such a request is sent once, because a stream cannot be repeated. */
  upload?: boolean;
}

async function ask({ dependencies }: Services, call: FileCall, question: FileOperation): Promise<Response> {
  const response = await withStub(dependencies.threads, {
    threadId: call.params.id,
    // A move that is sent again after it succeeded would find nothing at the old path.
    repeatable: question.upload !== true && question.operation !== "move",
    run: (stub) => stub.fetch(fileRequest(call, question)),
  });
  // The response to a HEAD request has no body, so its refusal is passed on unchanged.
  if (response.status < 400 || call.headOnly) return response;
  throw await refusalOf(response);
}

function fileRequest({ request, url, caller }: FileCall, question: FileOperation): Request {
  const inner = new URL(`${filesPath}${question.operation}`, "https://thread");
  for (const [name, value] of url.searchParams) inner.searchParams.set(name, value);
  for (const [name, value] of Object.entries(question.fields ?? {})) inner.searchParams.set(name, value);
  if (question.path !== undefined) inner.searchParams.set("path", question.path);
  const headers = new Headers({ [callerHeader]: JSON.stringify(caller) });
  for (const name of question.upload === true ? ["content-type", ...conditions] : conditions) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const body = question.upload === true ? request.body : null;
  return new Request(inner, { method: request.method, headers, body, redirect: "manual" });
}

/** The error of a response with which a thread's object refused a request. */
export async function refusalOf(response: Response): Promise<Error> {
  const body = errorBodySchema.safeParse(await ownResponseJson(response).catch(() => null));
  if (!body.success) return new Error(`The thread answered about a file with status ${String(response.status)}.`);
  const { code, message, details } = body.data.error;
  const after = Number(response.headers.get("retry-after") ?? 0);
  return new ThreadholdError({
    code,
    message,
    ...(details === undefined ? {} : { details: details as JsonObject }),
    ...(after > 0 ? { retry_after_ms: after * 1000 } : {}),
  });
}

/** Throws `invalid_request` or `unsupported_media_type` unless the body is the unencoded bytes of a whole file. */
function checkUpload(headers: Headers): void {
  const type = headers.get("content-type");
  if (type !== null && !isMediaType(type)) throw invalidField("Content-Type", "Not a media type such as text/plain");
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding.trim().toLowerCase() !== "identity") {
    throw refuse("unsupported_media_type", "Send the bytes as they are to be stored, without a Content-Encoding.");
  }
  if (headers.has("content-range")) throw invalidField("Content-Range", "A file is written as a whole");
}

/** Throws `invalid_request` for a condition that cannot be checked. */
function checkConditions(headers: Headers): void {
  for (const name of ["If-Unmodified-Since", "If-Modified-Since"]) {
    if (headers.has(name)) throw invalidField(name, "A second is too coarse; use If-Match or If-None-Match");
  }
  for (const name of ["If-Match", "If-None-Match"]) {
    const value = headers.get(name);
    // An empty header may be dropped on the way to the object; the change would then be made without its condition.
    if (value !== null && readTagCondition(value) === null) throw invalidField(name, "Has to be * or tags in quotes");
  }
}
