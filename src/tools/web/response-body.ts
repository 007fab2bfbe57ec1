// Reads the body of a response up to a number of bytes, and decodes it with the encoding that the response or the page declares.

/** Reads the first `limit` bytes of a body. `isCut` is true if the body has more bytes. */
export async function readBytes(response: Response, limit: number): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (response.body !== null) {
    for await (const piece of response.body as ReadableStream<Uint8Array>) {
      pieces.push(piece.subarray(0, limit - size));
      size += piece.byteLength;
      // Leaving the loop cancels the body.
      if (size > limit) break;
    }
  }
  const bytes = new Uint8Array(Math.min(size, limit));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return { bytes, isCut: size > limit };
}

/** Reads the text of a body. `declared` is the value of `content-type`. */
export async function readText(
  response: Response,
  { limit, declared }: { limit: number; declared: string },
): Promise<{ text: string; isCut: boolean }> {
  const { bytes, isCut } = await readBytes(response, limit);
  const charset = /charset\s*=\s*"?([\w.:-]+)/i;
  const inPage = () => new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  const label = charset.exec(declared)?.[1] ?? charset.exec(inPage())?.[1];
  // With `stream`, the decoder omits an incomplete character at the end of a body that was cut.
  return { text: decoderOf(label).decode(bytes, { stream: isCut }), isCut };
}

function decoderOf(label = "utf-8"): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
