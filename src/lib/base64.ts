// Bytes as standard base64 and back, a slice at a time: neither direction holds more than its result and one slice.

/** Bytes encoded at a time; a multiple of three, so that slices join without padding between them. */
const encodedSlice = 24_576;

/** Characters decoded at a time; a multiple of four, so that a slice is whole bytes. */
const decodedSlice = 65_536;

/** Bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += encodedSlice) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + encodedSlice)));
  }
  return text;
}

/** Bytes that a base64 text stands for, by its length alone. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.floor(((text.length - padding) * 3) / 4);
}

/** The bytes in pieces. Throws while they are read when the text is no base64. */
export function* base64Pieces(text: string): Generator<Uint8Array> {
  for (let at = 0; at < text.length; at += decodedSlice) {
    const slice = text.slice(at, at + decodedSlice);
    const isLast = at + decodedSlice >= text.length;
    // `atob` would take white space, and padding in the middle: both shift what follows.
    if (!(isLast ? /^[A-Za-z\d+/]*={0,2}$/ : /^[A-Za-z\d+/]*$/).test(slice)) throw new Error("no base64");
    const binary = atob(slice);
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
    yield bytes;
  }
}

/** The bytes of a base64 text; null where it is none. */
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
