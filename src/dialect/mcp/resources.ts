// The files of the client's threads as resources: `threadhold://threads/<id>/files/<path>`. A list goes through the threads page by page and
// contains some files of each, so the work for a page has a bound. A resource that is in no list can be read as well.

import { z } from "zod";

import { errorBodySchema } from "#contract/error-body.ts";
import { refuse, ThreadholdError } from "#contract/error.ts";
import { globAnswerSchema } from "#contract/file.ts";
import { cursorField } from "#contract/query-field.ts";
import { fileRecordSchema } from "#contract/stored-file.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import { callerHeader, filesPath } from "#core/rpc/thread-rpc.ts";
import type { Services } from "#http/services.ts";
import { withStub } from "#http/thread/call-thread.ts";
import { toBase64 } from "#lib/base64.ts";
import { mediaTypeOfName } from "#lib/media-type.ts";
import { decodeText, isTextType } from "#lib/text-type.ts";
import { ownResponseJson } from "#lib/untrusted/own-json.ts";

import { reachableThread, threadTag } from "./reachable-thread.ts";
import { readParams, RpcError } from "./rpc-message.ts";
import type { RpcRequest } from "./rpc-message.ts";

/** The maximum number of threads of a page, and of files of a thread in a list. */
const threadsOfPage = 10;
const filesOfThread = 100;

/** Maximal bytes of a resource. It is a part of a JSON message, so it is in memory as a whole. */
const mostBytes = 4 * 1024 * 1024;

const listParamsSchema = z.object({ cursor: cursorField.optional() });
const readParamsSchema = z.object({ uri: z.string().max(5000) });

/** The result of `resources/templates/list`. */
export const resourceTemplates = {
  resourceTemplates: [
    {
      uriTemplate: "threadhold://threads/{thread_id}/files/{+path}",
      name: "thread_file",
      title: "A file of a thread",
      description: "The thread_id is that of a tool's result. Each segment of the path is percent-encoded.",
    },
  ],
};

/** The result of `resources/list`. */
export async function listResources(services: Services, caller: Caller, { params }: RpcRequest): Promise<object> {
  const { cursor } = readParams(listParamsSchema, params);
  if (!caller.admin && caller.user === null) throw refuse("forbidden", "Only an administrator is shown all threads.");
  const userId = caller.admin ? null : caller.user;
  const { catalog } = services.dependencies;
  return services.limits.search(caller, async () => {
    const page = await catalog.list({ userId, tag: threadTag, limit: threadsOfPage, cursor });
    const resources: object[] = [];
    for (const { id, title } of page.items) {
      for (const path of await filesOf(services, caller, id)) resources.push(listed({ id, title }, path));
    }
    return { resources, ...(page.next_cursor === null ? {} : { nextCursor: page.next_cursor }) };
  });
}

/** Paths of the thread's files, at most `filesOfThread`. Empty for a deleted thread, which the catalog may still list. */
async function filesOf(services: Services, caller: Caller, threadId: string): Promise<string[]> {
  try {
    const query = { glob: "**", limit: String(filesOfThread) };
    const response = await askFiles(services, { caller, threadId, operation: "search", query });
    return globAnswerSchema.parse(await ownResponseJson(response)).paths;
  } catch (thrown) {
    if (thrown instanceof ThreadholdError && thrown.code === "thread_not_found") return [];
    throw thrown;
  }
}

function listed({ id, title }: { id: string; title: string | null }, path: string): object {
  const name = path.replace(/^\//, "");
  return {
    uri: uriOf(id, path),
    name,
    description: `A file of the thread ${title === null ? id : `"${title}"`}`,
    mimeType: mediaTypeOfName(name),
  };
}

function uriOf(threadId: string, path: string): string {
  const segments = path.replace(/^\//, "").split("/").map(encodeURIComponent);
  return `threadhold://threads/${threadId}/files/${segments.join("/")}`;
}

/** The result of `resources/read`. */
export async function readResource(services: Services, caller: Caller, { params }: RpcRequest): Promise<object> {
  const { uri } = readParams(readParamsSchema, params);
  const [, id, encoded] = /^threadhold:\/\/threads\/([^/]+)\/files\/(.+)$/.exec(uri) ?? [];
  const path = encoded === undefined ? null : decodedPath(encoded);
  if (id === undefined || path === null) throw new RpcError("resourceNotFound", `There is no resource "${uri}".`);
  await services.limits.list(caller);
  const { id: threadId } = await reachableThread(services.callThread, caller, id);
  const asked = { caller, threadId, operation: "content" };
  const stat = await askFiles(services, { ...asked, query: { path, stat: "true" } });
  const { isDirectory, size, mimeType } = fileRecordSchema.parse(await ownResponseJson(stat));
  if (isDirectory) throw new RpcError("resourceNotFound", `"${uri}" is a folder. Read a file in it.`);
  if (size > mostBytes) throw tooLarge(uri, size);
  const response = await askFiles(services, { ...asked, query: { path } });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length > mostBytes) throw tooLarge(uri, bytes.length);
  const text = isTextType(mimeType) ? decodeText(bytes) : null;
  return { contents: [{ uri, mimeType, ...(text === null ? { blob: toBase64(bytes) } : { text }) }] };
}

function tooLarge(uri: string, size: number): RpcError {
  const message = `"${uri}" has ${String(size)} bytes; a resource has at most ${String(mostBytes)}. Read it over the HTTP API.`;
  return new RpcError("internal", message);
}

function decodedPath(encoded: string): string | null {
  try {
    return `/${encoded.split("/").map(decodeURIComponent).join("/")}`;
  } catch {
    return null;
  }
}

interface FileQuestion {
  caller: Caller;
  threadId: string;
  operation: string;
  query: Readonly<Record<string, string>>;
}

/** Asks the thread's object about its files. Throws its refusal. */
async function askFiles({ dependencies }: Services, question: FileQuestion): Promise<Response> {
  const { caller, threadId, operation, query } = question;
  const url = new URL(`${filesPath}${operation}`, "https://thread");
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const response = await withStub(dependencies.threads, {
    threadId,
    repeatable: true,
    run: (stub) => stub.fetch(new Request(url, { headers: { [callerHeader]: JSON.stringify(caller) } })),
  });
  if (response.ok) return response;
  const { code, message } = errorBodySchema.parse(await ownResponseJson(response)).error;
  throw new ThreadholdError({ code, message });
}
