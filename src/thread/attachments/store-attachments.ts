// Stores a message's files in the thread: the bytes under `/attachments/`, and only references to them in the message. Everything that can
// be checked without storing is checked first. If the message is refused later, its stored files are deleted.

import { mimeTypeSchema } from "#contract/attachment.ts";
import type { FilePart, ImagePart } from "#contract/content.ts";
import { refuse } from "#contract/error.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { ImagePort } from "#core/ports/image-port.ts";
import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import type { FileVersion, ThreadFiles } from "#core/ports/thread-file-port.ts";
import type { StoredPart } from "#core/record/record.ts";
import { fileName, nameOfType, withTypeExtension } from "#lib/file-name.ts";
import { imageType } from "#lib/image-type.ts";
import type { FileRecord } from "#spec/index.ts";

import { checkAttachments } from "./checked-files.ts";
import type { CheckedFile } from "./checked-files.ts";
import { fetchFile } from "./fetched-file.ts";
import type { FetchedFile } from "./fetched-file.ts";
import { withField, fileRefusal } from "./file-refusal.ts";
import type { IncomingFile, IncomingPart } from "./incoming-file.ts";
import type { PendingAttachments } from "./pending-attachments.ts";

/** The maximum number of bytes of one fetched file, and of all files that are fetched for one request. */
const fetchedFileBytes = 8 * 1024 * 1024;
const fetchedBytes = 20 * 1024 * 1024;

/** The maximum number of milliseconds that all fetches of one request take together. */
const fetchMs = 60_000;

/** Dependencies of storing files. `assertNotDeleted` throws if the thread was deleted during an await. */
export interface AttachmentPorts {
  files: ThreadFiles;
  images: ImagePort;
  outbound: OutboundFetch;
  clock: Clock;
  newId: () => string;
  pending: PendingAttachments;
  assertNotDeleted: () => void;
}

/** The parts of messages as their rows store them. */
export interface StoredAttachments {
  messages: StoredPart[][];
  /** Assigns the stored files to the messages. Returns the files. Call it right before the messages and the thread's row are written. */
  claim: () => FileVersion[];
  /** Deletes the files that were stored for the messages, except those that another message refers to. Never throws. */
  discard: () => void;
}

/**
 * Stores the files of the messages of one request, one after the other. If one cannot be stored, rejects with a refusal that names its
 * field, and deletes the files that were stored before.
 */
export async function storeAttachments(
  messages: readonly IncomingPart[][],
  taker: AttachmentPorts,
): Promise<StoredAttachments> {
  const checked = await checkAttachments(messages, taker.files);
  const taking = new AttachmentBatch(taker);
  try {
    const taken: StoredPart[][] = [];
    for (const message of checked) {
      const parts: StoredPart[] = [];
      for (const part of message) {
        parts.push("from" in part ? await withField(part.incoming.field, () => taking.take(part)) : part);
      }
      taken.push(parts);
    }
    return { messages: taken, claim: () => taking.claim(), discard: () => taking.discard() };
  } catch (thrown) {
    taking.discard();
    throw thrown;
  }
}

/** The files of one request while they are stored. */
class AttachmentBatch {
  readonly #taker: AttachmentPorts;
  #stored: FileVersion[] = [];
  #claimed = false;
  /** The time at which the storing of the request's files began (microseconds). */
  readonly #begun: number;
  #fetched = 0;

  constructor(taker: AttachmentPorts) {
    this.#taker = taker;
    this.#begun = taker.clock.now();
  }

  async take(file: CheckedFile): Promise<StoredPart> {
    switch (file.from) {
      case "file":
        this.#taker.pending.keepPath(file.record.path);
        return this.#part(file.record, file.incoming);
      case "data":
        return this.#store(file.incoming, file.bytes, file.incoming.mimeType);
      case "url": {
        const { bytes, mimeType, name } = await this.#fetch(file.url);
        const { incoming } = file;
        if (incoming.type === "image" && isNotImage(bytes, mimeType)) {
          throw fileRefusal(incoming.field, `the address gives ${mimeType ?? "something"} and no image.`);
        }
        const declared = mimeType ?? incoming.mimeType;
        return this.#store({ ...incoming, name: incoming.name ?? name }, bytes, declared);
      }
    }
  }

  claim(): FileVersion[] {
    this.#mine();
    this.#claimed = true;
    this.#taker.pending.release(this.#stored);
    return [...this.#stored];
  }

  discard(): void {
    if (!this.#claimed) this.#mine();
    this.#taker.pending.remove(this.#stored.splice(0));
  }

  /** Removes files from `#stored` to which another message has referred in the meantime. */
  #mine(): void {
    this.#stored = this.#taker.pending.stillPending(this.#stored);
  }

  async #fetch(url: string): Promise<FetchedFile> {
    const { outbound, clock } = this.#taker;
    const totalMs = Math.floor(fetchMs - (clock.now() - this.#begun) / 1000);
    if (totalMs <= 0) throw refuse("unavailable", "the files before it took too long to be fetched.");
    const left = fetchedBytes - this.#fetched;
    if (left <= 0) throw refuse("too_large", `over ${fetchedBytes} bytes would be fetched for one request.`);
    const bytes = Math.min(fetchedFileBytes, left);
    const file = await fetchFile(url, outbound, { bytes, totalMs });
    this.#fetched += file.bytes.byteLength;
    return file;
  }

  async #store(incoming: IncomingFile, bytes: Uint8Array, declared: string | null): Promise<StoredPart> {
    const { files, images, pending, assertNotDeleted } = this.#taker;
    const wanted = mediaType(declared);
    const { bytes: kept, mimeType, width, height } = await fitImage(bytes, wanted, images);
    const given = fileName(incoming.name ?? "", nameOfType(wanted.startsWith("image/") ? "image" : "file", wanted));
    const name = kept === bytes ? given : withTypeExtension(given, mimeType);
    assertNotDeleted();
    const made = (file: FileVersion) => {
      pending.add(file);
      this.#stored.push(file);
    };
    const record = await files.attach(name, kept, { mimeType, width, height, made });
    return this.#part(record, incoming);
  }

  #part(record: FileRecord, { type, mimeType }: IncomingFile): ImagePart | FilePart {
    const { path, name, size, width, height } = record;
    // A file that was uploaded with another type may still be the image that the message declares.
    const own = mediaType(record.mimeType);
    const mime_type = type === "image" && !own.startsWith("image/") ? mediaType(mimeType) : own;
    return {
      type: type ?? (mime_type.startsWith("image/") ? "image" : "file"),
      mime_type,
      path,
      name,
      id: this.#taker.newId(),
      size,
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
    };
  }
}

/** The media type to store: for images without its parameters; `application/octet-stream` for an invalid one. */
function mediaType(declared: string | null): string {
  const type = declared?.trim().toLowerCase() ?? "";
  if (!mimeTypeSchema.safeParse(type).success) return "application/octet-stream";
  return type.startsWith("image/") ? (type.split(";")[0] ?? "").trimEnd() : type;
}

function isNotImage(bytes: Uint8Array, mimeType: string | null): boolean {
  return imageType(bytes) === null && mimeType?.startsWith("image/") !== true;
}

/** The maximum number of bytes, and the maximum number of pixels of a side, of an image that is stored unchanged. */
const imageBytes = 1_500_000;
const imagePixels = 4096;

/** The bytes to store, with their type and size in pixels. */
interface FittedFile {
  bytes: Uint8Array;
  mimeType: string;
  width?: number | undefined;
  height?: number | undefined;
}

/**
 * Returns the file as it is stored. A large image is encoded again in a size that models accept (docs/reference/figures.md:
 * Bodies and readers); if that fails, the original is kept. The type of an image is read from its bytes if they have a known format.
 */
async function fitImage(bytes: Uint8Array, mimeType: string, images: ImagePort): Promise<FittedFile> {
  if (!mimeType.startsWith("image/")) return { bytes, mimeType };
  const known = imageType(bytes);
  const size = await images.size(bytes);
  const isLarge = bytes.byteLength > imageBytes || Math.max(size?.width ?? 0, size?.height ?? 0) > imagePixels;
  // An image of an unknown format is converted too, because models do not accept it.
  if (isLarge || known === null) {
    const made = await images.shrink(bytes, { pixels: imagePixels, limit: imageBytes });
    if (made !== null) return made;
  }
  return { bytes, mimeType: known ?? mimeType, width: size?.width, height: size?.height };
}
