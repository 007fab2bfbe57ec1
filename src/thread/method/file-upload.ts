// Writes a file from a request's body, a piece at a time. An existing file is replaced only after the last byte has arrived, if the
// conditions of the request still hold then.

import { refuse } from "#contract/error.ts";
import type { WriteCheck } from "#core/ports/thread-file-port.ts";
import { quotedTag } from "#lib/entity-tag.ts";
import { mediaTypeOfName } from "#lib/media-type.ts";

import type { ObjectContext } from "../object-context.ts";
import { checkWrite } from "./file-condition.ts";
import { fileJson } from "./file-json.ts";
import { openUpload } from "./upload-stream.ts";

/** The dependencies of an upload. */
export type FileContext = Pick<ObjectContext, "files" | "clock">;

/** The response: the record, with 201 for a new file and 200 for a replaced one. Throws to refuse. */
export async function writeFile({ files, clock }: FileContext, incoming: Request, path: string): Promise<Response> {
  const { headers, body } = incoming;
  const length = headers.get("content-length");
  if (Number(length ?? "0") > files.limit) {
    throw refuse("too_large", `A file has at most ${String(files.limit)} bytes.`, { limit: files.limit });
  }
  // Checked before the bytes are read, so that a forbidden write is refused early, and again by `check` when all bytes have arrived.
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
    // A client that disconnects while this write waits is not noticed here, but the next read of its body fails.
    const facts = { mimeType, check, outside: true };
    const record = await files.write(path, upload?.stream ?? new Uint8Array(), facts);
    return fileJson(record, outcome.status, { etag: quotedTag(outcome.etag) });
  } finally {
    upload?.release();
  }
}
