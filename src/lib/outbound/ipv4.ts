// Reads IPv4 addresses in every notation that some URL parser or resolver accepts: with fewer than four parts, in decimal, octal and
// hexadecimal. If parsers disagree (a leading zero means octal to some and nothing to others) all readings are returned, so that the
// caller can refuse if any of them is not public.

const decimal = /^[0-9]+$/;
const hexadecimal = /^0x[0-9a-f]*$/i;
const octal = /^0[0-7]+$/;

/** The largest number that fits this number of bytes. */
const largest = (bytes: number): number => 256 ** bytes - 1;

function readPart(part: string): number[] {
  if (hexadecimal.test(part)) return [part.length === 2 ? 0 : Number.parseInt(part.slice(2), 16)];
  if (!decimal.test(part)) return [];
  const plain = Number.parseInt(part, 10);
  return octal.test(part) ? [Number.parseInt(part, 8), plain] : [plain];
}

/** The parts as one number. The last part fills all remaining bytes. */
function join(parts: readonly number[]): number | null {
  const last = parts.at(-1) ?? 0;
  const leading = parts.slice(0, -1);
  if (leading.some((part) => part > 255) || last > largest(4 - leading.length)) return null;
  return leading.reduce((sum, part, at) => sum + part * 256 ** (3 - at), last);
}

/** Every address, as a number below 2^32, that some parser reads in `text`; none if no parser accepts it. */
export function readIpv4(text: string): readonly number[] {
  const parts = text.split(".");
  if (parts.length > 1 && parts.at(-1) === "") parts.pop();
  if (parts.length > 4) return [];
  let readings: number[][] = [[]];
  for (const part of parts) {
    const values = readPart(part);
    readings = readings.flatMap((before) => values.map((value) => [...before, value]));
  }
  return readings.flatMap((reading) => join(reading) ?? []);
}

/** Whether URL parsers read `name` as an IPv4 address or refuse it, because its last label is a number. */
export function endsInNumber(name: string): boolean {
  const labels = name.split(".");
  if (labels.length > 1 && labels.at(-1) === "") labels.pop();
  const last = labels.at(-1) ?? "";
  return decimal.test(last) || hexadecimal.test(last);
}
