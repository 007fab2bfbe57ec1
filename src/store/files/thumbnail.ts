// Small pictures of images, each made once and kept in its image's row, so that it goes when the image does.

import type { ImagePort } from "#core/ports/image-port.ts";
import { turns } from "#lib/bounded-fetch.ts";

import { wholeBytes } from "./file-reader.ts";
import type { FileReaderParts } from "./file-reader.ts";
import type { FileRow } from "./file-rows.ts";
import { imageLimit } from "./image-facts.ts";

/** Pixels of the longer side (figures: Files). */
const thumbnailPixels = 256;

/** Bytes a small picture may take beside its image in a row. */
const thumbnailLimit = 150_000;

/** Times a picture is made of a file that is written anew meanwhile. */
const tries = 3;

/** The small picture of the file that a look finds; null for what is no image, and where none can be made. */
export type Thumbnails = (look: () => FileRow | null) => Promise<Uint8Array | null>;

/** Makes one picture at a time: each takes its whole image in memory, and a page may ask for dozens at once. */
export function thumbnails(parts: FileReaderParts, images: ImagePort): Thumbnails {
  const { rows } = parts;
  const inTurn = turns(1);

  function imageOf(row: FileRow | null): FileRow | null {
    const isImage = row !== null && row.body.mime_type.startsWith("image/") && row.size <= imageLimit;
    return isImage ? row : null;
  }

  async function made(look: () => FileRow | null): Promise<Uint8Array | null> {
    for (let time = 0; time < tries; time += 1) {
      const row = imageOf(look());
      if (row === null) return null;
      // Whoever waited in line may find it made.
      const kept = rows.thumbnail(row.parent, row.name);
      if (kept !== null) return kept;
      const picture = await images.thumbnail(await wholeBytes(parts, row), thumbnailPixels);
      // The file may have been written anew meanwhile: then this is no picture of it.
      if (rows.find(row.parent, row.name)?.body.tag !== row.body.tag) continue;
      if (picture === null || picture.bytes.byteLength > thumbnailLimit) return null;
      rows.keepThumbnail(row.parent, row.name, picture.bytes);
      return picture.bytes;
    }
    return null;
  }

  return async (look) => {
    const row = imageOf(look());
    if (row === null) return null;
    return rows.thumbnail(row.parent, row.name) ?? inTurn(null, () => made(look));
  };
}
