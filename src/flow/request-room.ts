// How much of files one model request may carry. The newest are given room first; what finds none stands there as a line.

/** Bytes of images and documents of one request, before base64: an object has about 8 MB for all its buffers. */
const binaryBytes = 6_000_000;

/** Images and documents of one request. With more than 20 some providers take only small images. */
const binaryFiles = 20;

/** Bytes of one text file that is sent as its text, and of all of a request together. */
const textFileBytes = 64 * 1024;
const textBytes = 256 * 1024;

/** Text files of one request. */
const textFiles = 20;

/** The room that one request still has. */
export class RequestRoom {
  #binary = { bytes: binaryBytes, files: binaryFiles };
  #text = { bytes: textBytes, files: textFiles };

  /** True when a file of so many bytes would find room. Takes none. */
  has(kind: "binary" | "text", bytes: number): boolean {
    const left = this.#left(kind);
    return left.files > 0 && bytes <= left.bytes && (kind === "binary" || bytes <= textFileBytes);
  }

  take(kind: "binary" | "text", bytes: number): void {
    const left = this.#left(kind);
    left.files -= 1;
    left.bytes -= bytes;
  }

  #left(kind: "binary" | "text"): { bytes: number; files: number } {
    return kind === "binary" ? this.#binary : this.#text;
  }
}
