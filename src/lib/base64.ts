// Standard base64, converted in slices, so that memory holds only the result and one slice.

/** Bytes that are encoded at a time; a multiple of three, so that no padding is needed between slices. */
const encodedSlice = 24_576;

/** Characters that are decoded at a time; a multiple of four, so that a slice is a whole number of bytes. */
const decodedSlice = 65_536;

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += encodedSlice) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + encodedSlice)));
  }
  return text;
}

/** The number of bytes that a base64 text encodes, computed from its length. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.floor(((text.length - padding) * 3) / 4);
}

/** Decodes a text piece by piece. Throws at the first piece that is not base64. */
export function* base64Pieces(text: string): Generator<Uint8Array> {
  for (let at = 0; at < text.length; at += decodedSlice) {
    const slice = text.slice(at, at + decodedSlice);
    const isLast = at + decodedSlice >= text.length;
    // `atob` would accept white space and padding in the middle, which would shift the following bytes.
    if (!(isLast ? /^[A-Za-z\d+/]*={0,2}$/ : /^[A-Za-z\d+/]*$/).test(slice)) throw new Error("no base64");
    const binary = atob(slice);
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
    yield bytes;
  }
}

/** Decodes a text; null if it is not base64. */
export function fromBase64(text: string): Uint8Array | null {
  const bytes = new Uint8Array(base64Bytes(text));
  let at = 0;
  try {
    for (const piece of base64Pieces(text)) {
      bytes.set(piece, at);
      at += piece.length;
    }
  } catch {
    return null;
  }
  return at === bytes.length ? bytes : null;
}

/**
 * Joins base64 texts: returns the base64 of the bytes of all texts. Throws if the texts have to be decoded and one of them is not base64.
 */
export function joinBase64(pieces: readonly string[]): string {
  const isAligned = pieces.slice(0, -1).every((piece) => piece.length % 4 === 0 && !piece.endsWith("="));
  if (isAligned) return pieces.join("");
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + base64Bytes(piece), 0));
  let at = 0;
  for (const piece of pieces) {
    for (const part of base64Pieces(piece)) {
      bytes.set(part, at);
      at += part.length;
    }
  }
  return toBase64(bytes);
}
