// Converts between bytes and base64 letters as bytes, for streamed files. No strings are created, because each would be a copy that
// the garbage collector has to free.

const alphabet = new TextEncoder().encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const padding = 61;
const noDigit = 255;

/** The value of each letter. */
const values = new Uint8Array(256).fill(noDigit);
for (const [value, letter] of alphabet.entries()) values[letter] = value;

/** The number of letters in the base64 of `bytes` bytes. */
export function encodedLength(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** Writes the base64 letters of `bytes` to `into`, from `position` on. There must be enough space. */
export function encodeInto(bytes: Uint8Array, into: Uint8Array, position: number): void {
  const whole = bytes.length - (bytes.length % 3);
  let to = position;
  for (let at = 0; at < whole; at += 3) {
    const group = (octet(bytes, at) << 16) | (octet(bytes, at + 1) << 8) | octet(bytes, at + 2);
    into[to] = octet(alphabet, group >> 18);
    into[to + 1] = octet(alphabet, (group >> 12) & 63);
    into[to + 2] = octet(alphabet, (group >> 6) & 63);
    into[to + 3] = octet(alphabet, group & 63);
    to += 4;
  }
  const left = bytes.length - whole;
  if (left === 0) return;
  const [first, second] = [octet(bytes, whole), left === 2 ? octet(bytes, whole + 1) : 0];
  into[to] = octet(alphabet, first >> 2);
  into[to + 1] = octet(alphabet, ((first & 3) << 4) | (second >> 4));
  into[to + 2] = left === 2 ? octet(alphabet, (second & 15) << 2) : padding;
  into[to + 3] = padding;
}

/** Decodes base64 letters; null if they are not standard base64 with padding. */
export function decodedBytes(letters: Uint8Array): Uint8Array | null {
  const { length } = letters;
  if (length === 0) return new Uint8Array();
  if (length % 4 !== 0) return null;
  const pads = letters[length - 1] !== padding ? 0 : letters[length - 2] !== padding ? 1 : 2;
  const bytes = new Uint8Array((length / 4) * 3 - pads);
  const whole = pads === 0 ? length : length - 4;
  let to = 0;
  for (let at = 0; at < whole; at += 4) {
    const one = value(letters, at);
    const two = value(letters, at + 1);
    const three = value(letters, at + 2);
    const four = value(letters, at + 3);
    // The value of a letter has at most six bits; that of any other byte has more.
    if ((one | two | three | four) > 63) return null;
    bytes[to] = (one << 2) | (two >> 4);
    bytes[to + 1] = ((two & 15) << 4) | (three >> 2);
    bytes[to + 2] = ((three & 3) << 6) | four;
    to += 3;
  }
  if (pads === 0) return bytes;
  const [one, two] = [value(letters, whole), value(letters, whole + 1)];
  const three = pads === 2 ? 0 : value(letters, whole + 2);
  if ((one | two | three) > 63) return null;
  bytes[to] = (one << 2) | (two >> 4);
  if (pads === 1) bytes[to + 1] = ((two & 15) << 4) | (three >> 2);
  return bytes;
}

/** The byte at an index, which has to be inside the array. Its type excludes undefined. */
function octet(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

function value(letters: Uint8Array, at: number): number {
  return octet(values, octet(letters, at));
}
