// Writes a file from a request's body, a piece at a time. The file that stood there stays until the last byte has come and
// the conditions of the request still hold.

import { refuse } from "#contract/error.ts";
import type { WriteCheck } from "#core/ports/thread-file-port.ts";
import { quotedTag } from "#lib/entity-tag.ts";
import { mediaTypeOfName } from "#lib/media-type.ts";

import type { ObjectContext } from "../object-context.ts";
import { checkWrite } from "./file-condition.ts";
import { fileJson } from "./file-json.ts";
import { openUpload } from "./upload-stream.ts";

/** What is used of a thread. */
export type FileContext = Pick<ObjectContext, "files" | "clock">;

/** The answer: the record, 201 for a new file and 200 for one that was replaced. Throws to refuse. */
export async function writeFile({ files, clock }: FileContext, incoming: Request, path: string): Promise<Response> {
  const { headers, body } = incoming;
  const length = headers.get("content-length");
  if (Number(length ?? "0") > files.limit) {
    throw refuse("too_large", `A file has at most ${String(files.limit)} bytes.`, { limit: files.limit });
  }
  // Asked now, so that a write that cannot be is refused before its bytes are sent, and again when they are all there.
  checkWrite(headers, await files.standing(path));
  const mimeType = headers.get("content-type") ?? mediaTypeOfName(path);
  const outcome = { status: 201, etag: "" };
  const check: WriteCheck = (standing, etag) => {
    checkWrite(headers, standing);
    outcome.status = standing === null ? 201 : 200;
    outcome.etag = etag;
  };
  const upload = body === null ? null : openUpload(body as ReadableStream<Uint8Array>, clock, () => files.crowded);
  try {
    // A client that leaves while this waits is not told of here; its body breaks off as soon as it is read.
    const facts = { mimeType, check, outside: true };
    const record = await files.write(path, upload?.stream ?? new Uint8Array(), facts);
    return fileJson(record, outcome.status, { etag: quotedTag(outcome.etag) });
  } finally {
    upload?.release();
  }
}
