// Counts the UTF-8 bytes of a text.

const encoder = new TextEncoder();

/** The longest text, in UTF-16 units, whose bytes are counted without the encoder. */
const shortText = 1024;

/** The UTF-8 bytes of a text. A conversation has thousands of short texts, and a call of the encoder takes longer than to read one. */
export function utf8Length(text: string): number {
  if (text.length > shortText) return encoder.encode(text).length;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return encoder.encode(text).length;
  return text.length;
}
