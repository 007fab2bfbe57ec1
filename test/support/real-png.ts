// Generates a PNG that every decoder reads: a grey area of any size, or a drawing in grey.

/** Encodes the PNG. `paint` returns the grey of a pixel, from 0 to 255. */
export async function realPng(
  width: number,
  height: number,
  paint: (x: number, y: number) => number = () => 128,
): Promise<Uint8Array> {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  // Eight bits for each pixel, grey.
  header.setUint8(8, 8);
  // Each row starts with its filter type: none.
  const rows = Uint8Array.from({ length: (width + 1) * height }, (_, at) => {
    const x = at % (width + 1);
    return x === 0 ? 0 : paint(x - 1, Math.floor(at / (width + 1)));
  });
  const deflated = new Blob([rows]).stream().pipeThrough(new CompressionStream("deflate"));
  const data = new Uint8Array(await new Response(deflated).arrayBuffer());
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  const parts = [signature, chunk("IHDR", new Uint8Array(header.buffer)), chunk("IDAT", data), chunk("IEND")];
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function chunk(type: string, data = new Uint8Array()): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(12 + data.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.byteLength);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(data, 8);
  view.setUint32(8 + data.byteLength, crc(bytes.subarray(4, 8 + data.byteLength)));
  return bytes;
}

function crc(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
}
