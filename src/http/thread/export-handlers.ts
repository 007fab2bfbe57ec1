// The routes that export and import whole threads. The lines pass through unread. Only the first line of an import is read here,
// because it names the thread, and so the object that receives the import.

import { refuse } from "#contract/error.ts";
import { checkExportVersion, exportHeaderSchema, exportMediaType } from "#contract/export-header.ts";
import type { ExportHeader } from "#contract/export-header.ts";
import { callerHeader, creationHeader, exportPath, importPath, waitingHeader } from "#core/rpc/thread-rpc.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import { discardBody } from "#lib/discard-body.ts";
import { waitWithin } from "#lib/time-limit.ts";
import type { Timers } from "#lib/timers.ts";
import { threadUuidText } from "#lib/uuid-text.ts";

import { invalidField } from "../input/field-error.ts";
import { parseInput } from "../input/parse-input.ts";
import { parseJson } from "../input/parse-json.ts";
import { readRequestKey } from "../input/request-key.ts";
import { withLease } from "../limit/user-leases.ts";
import type { Call, Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { withStub } from "./call-thread.ts";
import { reserveCreation } from "./creation-key.ts";
import { refusalOf } from "./file-handlers.ts";

/** Maximal bytes of the first line. */
const headerLimit = 4096;

/** Milliseconds in which the first line of an import must arrive. Before that the import holds no lease. */
const headerMs = 10_000;

export function exportHandlers(services: Services): Pick<Handlers, "exportThread" | "importThread"> {
  const { dependencies, limits, leases } = services;
  const { threads } = dependencies;
  return {
    async exportThread({ params, query, url, caller, headOnly }) {
      if (query.files && query.format === "sessions")
        throw invalidField("files", "Sessions contain no files. Export the files with the format `thread`");
      await limits.list(caller);
      const inner = new URL(exportPath, "https://thread");
      for (const [name, value] of url.searchParams) inner.searchParams.set(name, value);
      const { id: threadId } = params;
      const ask = (as: Caller): Promise<Response> => {
        const init = { method: headOnly ? "HEAD" : "GET", headers: { [callerHeader]: JSON.stringify(as) } };
        return withStub(threads, { threadId, repeatable: true, run: (stub) => stub.fetch(new Request(inner, init)) });
      };
      if (headOnly) return ask(caller);
      const lease = await leases.take(caller, { holder: { thread: threadId }, stream: "handed_through", run: false });
      // The thread's object gives the lease back at the end of the export.
      return withLease(lease, async () => {
        const response = await ask(lease.caller);
        if (response.status >= 400) throw await refusalOf(response);
        return response;
      });
    },
    async importThread({ request, caller }) {
      try {
        checkHeaders(request.headers);
        await limits.create(caller);
        return await pass(services, { request, caller });
      } catch (thrown) {
        // The body is read to its end; otherwise the sender might not receive the refusal.
        await discardBody(request);
        throw thrown;
      }
    },
  };
}

/** Sends the body to the object of the thread that its first line names. It is sent once, because a stream cannot be repeated. */
async function pass(
  services: Services,
  { request, caller }: Pick<Call<"importThread">, "request" | "caller">,
): Promise<Response> {
  const { dependencies, leases } = services;
  if (request.body === null) throw refuse("invalid_request", "The body is empty; an exported thread is expected.");
  const sent = request.body as ReadableStream<Uint8Array>;
  const { header, received } = await readFirstLine(sent, services.ports.timers);
  const key = await readRequestKey(request, "importThread", header);
  const { id: threadId, creation } = await reserveCreation(services, { caller, key, id: header.thread_id });
  const lease = await leases.take(caller, { holder: { thread: threadId }, stream: "handed_through", run: false });
  return withLease(lease, async () => {
    const headers = {
      [callerHeader]: JSON.stringify(lease.caller),
      ...(creation === undefined ? {} : { [creationHeader]: creation }),
    };
    const body = joinStreams(received, sent);
    const response = await withStub(dependencies.threads, {
      threadId,
      repeatable: false,
      run: (stub) => stub.fetch(new Request(new URL(importPath, "https://thread"), { method: "POST", headers, body })),
    });
    if (response.status >= 400) throw await refusalOf(response);
    const answer = new Response(response.body, response);
    services.limits.chargeImported(caller, {
      inputs: Number(answer.headers.get(waitingHeader) ?? 0),
      creation: creation === undefined ? null : `${threadId} ${creation}`,
    });
    answer.headers.delete(waitingHeader);
    answer.headers.set("location", `/api/threads/${threadId}`);
    return answer;
  });
}

function checkHeaders(headers: Headers): void {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== exportMediaType) {
    throw refuse("unsupported_media_type", `Send an exported thread as "content-type: ${exportMediaType}".`);
  }
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding.trim().toLowerCase() === "identity") return;
  throw refuse("unsupported_media_type", "Send the lines as they were exported, without a Content-Encoding.");
}

interface FirstLine {
  header: ExportHeader;
  /** The bytes read so far, which contain the first line. */
  received: Uint8Array;
}

async function readFirstLine(body: ReadableStream<Uint8Array>, timers: Timers): Promise<FirstLine> {
  const reader = body.getReader();
  const onTimeout = (): never => {
    throw refuse("invalid_request", `The first line of the export did not come within ${String(headerMs / 1000)} s.`);
  };
  try {
    const received = await waitWithin(() => firstLineOf(reader), { timers, milliseconds: headerMs, onTimeout });
    const end = received.indexOf(10);
    return { header: headerOf(received.subarray(0, Math.min(end === -1 ? headerLimit : end, headerLimit))), received };
  } finally {
    reader.releaseLock();
  }
}

/** Reads until the first line ends or exceeds its limit. */
async function firstLineOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array> {
  let begun: Uint8Array<ArrayBuffer> = new Uint8Array();
  while (begun.indexOf(10) === -1 && begun.byteLength <= headerLimit) {
    const { done, value } = await reader.read();
    if (done) break;
    const longer = new Uint8Array(begun.byteLength + value.byteLength);
    longer.set(begun);
    longer.set(value, begun.byteLength);
    begun = longer;
  }
  return begun;
}

/** Parses and checks the first line. */
function headerOf(bytes: Uint8Array): ExportHeader {
  const line = parseJson(decoded(bytes), "The first line");
  checkExportVersion(line);
  const header = parseInput(exportHeaderSchema, line);
  const id = threadUuidText(header.thread_id);
  if (id === header.thread_id) return header;
  throw invalidField(
    "thread_id",
    "Has to be a UUID of version 4, or of version 8 for a named session, in small letters",
  );
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refuse("invalid_request", "This is no exported thread: its first line is not UTF-8.");
  }
}

/** A stream of the bytes that were read already, followed by the remaining body. */
function joinStreams(begun: Uint8Array, rest: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const move = async () => {
    await writer.write(begun);
    writer.releaseLock();
    await rest.pipeTo(writable);
  };
  // An error needs no handling here: the object receives the broken stream, or has refused it, and responds accordingly.
  move().catch(() => undefined);
  return readable as ReadableStream<Uint8Array>;
}
