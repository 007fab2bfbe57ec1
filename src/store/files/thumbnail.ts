// Creates thumbnails of images. Each is created once and stored in its image's row, so that it is deleted together with the image.

import type { ImagePort } from "#core/ports/image-port.ts";
import { createRequestQueue } from "#lib/bounded-fetch.ts";

import { wholeBytes } from "./file-reader.ts";
import type { FileReaderParts } from "./file-reader.ts";
import type { FileRow } from "./file-rows.ts";
import { imageLimit } from "./image-facts.ts";

/** Pixels of the longer side of a thumbnail (figures.md, "Files"). */
const thumbnailPixels = 256;

/** Maximal bytes of a thumbnail, which shares a row with its image. */
const thumbnailLimit = 150_000;

/** Attempts to create a thumbnail of a file that is replaced in the meantime. */
const tries = 3;

/** Returns the thumbnail of the file that `look` finds; null if it is not an image or no thumbnail can be created. */
export type Thumbnails = (look: () => FileRow | null) => Promise<Uint8Array | null>;

/** Creates one thumbnail at a time, because each needs its whole image in memory and a page may request dozens at once. */
export function thumbnails(parts: FileReaderParts, images: ImagePort): Thumbnails {
  const { rows } = parts;
  const inTurn = createRequestQueue(1);

  function imageOf(row: FileRow | null): FileRow | null {
    const isImage = row !== null && row.body.mime_type.startsWith("image/") && row.size <= imageLimit;
    return isImage ? row : null;
  }

  async function createThumbnail(look: () => FileRow | null): Promise<Uint8Array | null> {
    for (let time = 0; time < tries; time += 1) {
      const row = imageOf(look());
      if (row === null) return null;
      // A request that waited its turn may find the thumbnail of an earlier request.
      const kept = rows.thumbnail(row.parent, row.name);
      if (kept !== null) return kept;
      const picture = await images.thumbnail(await wholeBytes(parts, row), thumbnailPixels);
      // If the file was replaced in the meantime, the thumbnail is that of the earlier file, so it is not stored.
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
    return rows.thumbnail(row.parent, row.name) ?? inTurn(null, () => createThumbnail(look));
  };
}
