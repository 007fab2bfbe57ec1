// The attachment budget of one model request. The newest files are served first; a file that exceeds the budget is sent as a line of text
// that names it.

/** Bytes of images and documents of one request, before base64: an object has about 8 MB for all its buffers. */
const binaryBytes = 6_000_000;

/** The maximum number of images and documents of one request. With more than 20 some providers accept only small images. */
const binaryFiles = 20;

/** The maximum number of bytes of one text file that is sent as text, and of all text files of a request together. */
const textFileBytes = 64 * 1024;
const textBytes = 256 * 1024;

/** The maximum number of text files of one request. */
const textFiles = 20;

/** What remains of the budget of one request. */
export class AttachmentBudget {
  #binary: { bytes: number; files: number };
  #text: { bytes: number; files: number };

  /** `share` is the usable part of the whole budget, from 0 to 1. */
  constructor(share = 1) {
    this.#binary = { bytes: binaryBytes * share, files: binaryFiles * share };
    this.#text = { bytes: textBytes * share, files: textFiles * share };
  }

  /** Whether a file of this size fits. Takes nothing from the budget. */
  has(kind: "binary" | "text", bytes: number): boolean {
    const remaining = this.#remaining(kind);
    return remaining.files > 0 && bytes <= remaining.bytes && (kind === "binary" || bytes <= textFileBytes);
  }

  take(kind: "binary" | "text", bytes: number): void {
    const remaining = this.#remaining(kind);
    remaining.files -= 1;
    remaining.bytes -= bytes;
  }

  #remaining(kind: "binary" | "text"): { bytes: number; files: number } {
    return kind === "binary" ? this.#binary : this.#text;
  }
}
