// Serves the Worker's requests about a thread's files in the thread's object. Bytes are streamed between storage and network, so that a
// large file is never completely in memory.

import { refuse } from "#contract/error.ts";
import { moveFileSchema, putFileSchema, readFileSchema, searchFilesSchema } from "#contract/file.ts";
import type { ThreadFiles, WriteCheck } from "#core/ports/thread-file-port.ts";
import { filesPath } from "#core/rpc/thread-rpc.ts";
import { quotedTag } from "#lib/entity-tag.ts";
import { mediaTypeOfName } from "#lib/media-type.ts";

import { checkWrite } from "./file-condition.ts";
import { readFile } from "./file-download.ts";
import { fileJson, noFile } from "./file-json.ts";
import type { OpenThread } from "./loaded-thread.ts";
import { openUpload } from "./upload-stream.ts";

/** Returns the response to a request about files. Throws a `ThreadholdError` to refuse it. */
export async function serveFiles(
  context: FileContext & Pick<OpenThread, "searches">,
  incoming: Request,
  url: URL,
): Promise<Response> {
  const { files } = context;
  const query = Object.fromEntries(url.searchParams);
  switch (url.pathname.slice(filesPath.length)) {
    case "content":
      return serveContent(context, incoming, query);
    case "search":
      return context.searches.search(incoming, (signal) => search(files, query, signal));
    case "move": {
      const { from, to } = moveFileSchema.parse(query);
      return fileJson(await files.move(from, to));
    }
    case "stats":
      return fileJson(await files.stats());
    default:
      throw refuse("route_not_found", "The thread has no such question about its files.");
  }
}

type Query = Readonly<Record<string, string>>;

async function serveContent(context: FileContext, incoming: Request, query: Query): Promise<Response> {
  const { files } = context;
  const { path = "", ...rest } = query;
  switch (incoming.method) {
    case "GET":
    case "HEAD":
      return readFile(files, incoming, { path, ...readFileSchema.parse(rest) });
    case "PUT":
      if (putFileSchema.parse(rest).mkdir === true) return makeFolder(files, incoming, path);
      return writeFile(context, incoming, path);
    case "DELETE":
      return remove(files, incoming, path);
    default:
      throw refuse("method_not_allowed", "A file is read, written or deleted.");
  }
}

async function makeFolder(files: ThreadFiles, { headers }: Request, path: string): Promise<Response> {
  const before = await files.entry(path);
  checkWrite(headers, before);
  return fileJson(await files.makeFolder(path), before === null ? 201 : 200);
}

/** Deletes a file or an empty folder. A tree is deleted entry by entry, so that no request deletes files that its caller has not seen. */
async function remove(files: ThreadFiles, { headers }: Request, path: string): Promise<Response> {
  const existing = await files.entry(path);
  if (existing === null) throw noFile(path);
  checkWrite(headers, existing);
  await (existing.record.isDirectory ? files.removeFolder(path) : files.remove(path));
  return new Response(null, { status: 204 });
}

async function search(files: ThreadFiles, query: Query, signal: AbortSignal): Promise<Response> {
  const { grep, glob, path, limit } = searchFilesSchema.parse(query);
  const options = { path, limit, signal };
  if (grep !== undefined) return fileJson(await files.grep(grep, options));
  const { paths, truncated } = await files.find(glob ?? "", options);
  return fileJson({ paths, truncated });
}

/** The dependencies of an upload. */
type FileContext = Pick<OpenThread, "files" | "deployment">;

/**
 * Writes a file from a request's body. The response has the record, with 201 for a new file and 200 for a replaced one. A file is
 * replaced after the last byte has arrived, if the conditions of the request still hold then. Throws to refuse.
 */
async function writeFile(
  { files, deployment: { clock } }: FileContext,
  incoming: Request,
  path: string,
): Promise<Response> {
  const { headers, body } = incoming;
  const length = headers.get("content-length");
  if (Number(length ?? "0") > files.limit) {
    throw refuse("too_large", `A file has at most ${String(files.limit)} bytes.`, { limit: files.limit });
  }
  // Checked before the bytes are read, so that a forbidden write is refused early, and again by `check` when all bytes have arrived.
  checkWrite(headers, await files.entry(path));
  const mimeType = headers.get("content-type") ?? mediaTypeOfName(path);
  const outcome = { status: 201, etag: "" };
  const check: WriteCheck = (existing, etag) => {
    checkWrite(headers, existing);
    outcome.status = existing === null ? 201 : 200;
    outcome.etag = etag;
  };
  const upload = body === null ? null : openUpload(body as ReadableStream<Uint8Array>, clock, () => files.crowded);
  try {
    // A client that disconnects while this write waits is not noticed here, but the next read of its body fails.
    const facts = { mimeType, check, outside: true };
    const record = await files.write(path, upload?.stream ?? new Uint8Array(), facts);
    return fileJson(record, outcome.status, { etag: quotedTag(outcome.etag) });
  } finally {
    upload?.release();
  }
}
