// Internal addresses and the ways to write them, as an attacker would try them. The ranges are written here a second time, by first and
// last address, so that a mistake in the table of the code is found.

import fc from "fast-check";

type Bytes = readonly [number, number, number, number];

const insideV4: readonly (readonly [first: Bytes, last: Bytes])[] = [
  [
    [0, 0, 0, 0],
    [0, 255, 255, 255],
  ],
  [
    [10, 0, 0, 0],
    [10, 255, 255, 255],
  ],
  [
    [100, 64, 0, 0],
    [100, 127, 255, 255],
  ],
  [
    [127, 0, 0, 0],
    [127, 255, 255, 255],
  ],
  [
    [168, 63, 129, 16],
    [168, 63, 129, 16],
  ],
  [
    [169, 254, 0, 0],
    [169, 254, 255, 255],
  ],
  [
    [172, 16, 0, 0],
    [172, 31, 255, 255],
  ],
  [
    [192, 0, 0, 0],
    [192, 0, 0, 255],
  ],
  [
    [192, 0, 2, 0],
    [192, 0, 2, 255],
  ],
  [
    [192, 88, 99, 0],
    [192, 88, 99, 255],
  ],
  [
    [192, 168, 0, 0],
    [192, 168, 255, 255],
  ],
  [
    [198, 18, 0, 0],
    [198, 19, 255, 255],
  ],
  [
    [198, 51, 100, 0],
    [198, 51, 100, 255],
  ],
  [
    [203, 0, 113, 0],
    [203, 0, 113, 255],
  ],
  [
    [224, 0, 0, 0],
    [255, 255, 255, 255],
  ],
];

const toNumber = ([a, b, c, d]: Bytes): number => ((a * 256 + b) * 256 + c) * 256 + d;
const toBytes = (address: number): Bytes => [
  Math.floor(address / 2 ** 24),
  Math.floor(address / 2 ** 16) % 256,
  Math.floor(address / 256) % 256,
  address % 256,
];

/** Dotted, as everyone writes it. */
export const dotted = (address: number): string => toBytes(address).join(".");

/** Whether the address is internal, by the list above. */
export const isInside = (address: number): boolean =>
  insideV4.some(([first, last]) => address >= toNumber(first) && address <= toNumber(last));

/** An internal address, with the first and last of each range more often than others. */
export const insideAddress: fc.Arbitrary<number> = fc
  .constantFrom(...insideV4)
  .chain(([first, last]) =>
    fc.oneof(
      fc.constantFrom(toNumber(first), toNumber(last)),
      fc.integer({ min: toNumber(first), max: toNumber(last) }),
    ),
  );

/** Any address at all. */
export const anyAddress: fc.Arbitrary<number> = fc.integer({ min: 0, max: 2 ** 32 - 1 });

const randomCase = (text: string): fc.Arbitrary<string> =>
  fc.array(fc.boolean(), { minLength: text.length, maxLength: text.length }).map((upper) =>
    Array.from(text)
      .map((char, at) => (upper[at] === true ? char.toUpperCase() : char))
      .join(""),
  );

/** One number: decimal, octal or hexadecimal, with more zeros in front than needed. */
function spelledNumber(value: number): fc.Arbitrary<string> {
  const zeros = fc.integer({ min: 0, max: 4 }).map((count) => "0".repeat(count));
  return fc.oneof(
    fc.constant(String(value)),
    zeros.map((more) => `0${more}${value.toString(8)}`),
    zeros.chain((more) => randomCase(`0x${more}${value.toString(16)}`)),
  );
}

/** One to four numbers with dots between, the last one for the remaining bytes. */
function numbersOf(address: number): fc.Arbitrary<string> {
  const bytes = toBytes(address);
  return fc.integer({ min: 0, max: 3 }).chain((whole) => {
    const rest = bytes.slice(whole).reduce((sum, byte) => sum * 256 + byte, 0);
    return fc.tuple(...[...bytes.slice(0, whole), rest].map(spelledNumber)).map((parts) => parts.join("."));
  });
}

const fullWidth = (text: string): string =>
  Array.from(text)
    .map((char) => (/[0-9a-zA-Z]/.test(char) ? String.fromCodePoint(char.charCodeAt(0) + 0xfee0) : char))
    .join("");
const percent = (text: string): string =>
  Array.from(text)
    .map((char) => `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`)
    .join("");
const circled = (text: string): string =>
  text.replace(/[1-9]/g, (digit) => String.fromCodePoint(0x2460 + Number(digit) - 1));

/** The ways in which the text of a host can vary and still mean the same host. */
const dressed = (text: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    text,
    text,
    text,
    `${text}.`,
    fullWidth(text),
    percent(text),
    circled(text),
    text.replaceAll(".", "。"),
    text.replaceAll(".", "．"),
    text.replaceAll(".", "｡"),
    text.replace(".", "%2e"),
    `\u00AD${text}`,
    `${text.slice(0, 1)}\u200B${text.slice(1)}`,
    `${text.slice(0, 1)}\t${text.slice(1)}`,
  );

/** Every way to write an IPv4 address. */
export const spelledV4 = (address: number): fc.Arbitrary<string> => numbersOf(address).chain(dressed);

const hexPair = (address: number): string => `${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}`;

/** Every way to write an IPv4 address inside an IPv6 one, in brackets. */
export function carriedV4(address: number): fc.Arbitrary<string> {
  const [pair, text] = [hexPair(address), dotted(address)];
  const inverted = hexPair(~address >>> 0);
  return fc
    .constantFrom(
      `::ffff:${pair}`,
      `::ffff:${text}`,
      `0:0:0:0:0:ffff:${pair}`,
      `0000:0000:0000:0000:0000:FFFF:${text}`,
      `::${pair}`,
      `::${text}`,
      `::ffff:0:${pair}`,
      `::ffff:0:${text}`,
      `64:ff9b::${pair}`,
      `64:ff9b::${text}`,
      `64:ff9b:1:ffff::${pair}`,
      `64:ff9b:1::${text}`,
      `2002:${pair}::1`,
      `2002:${pair}:0:0:0:0:0:${"1"}`,
      `2001:0:4136:e378:8000:63bf:${inverted}`,
      `2001:0::${pair}`,
    )
    .chain(randomCase)
    .chain((plain) => fc.constantFrom(plain, plain, `${plain}%eth0`, `${plain}%251`))
    .map((plain) => `[${plain}]`);
}

const insideV6Prefixes = [
  { head: "fc00", bits: 7 },
  { head: "fe80", bits: 10 },
  { head: "fec0", bits: 10 },
  { head: "ff00", bits: 8 },
  { head: "2001:db8", bits: 32 },
  { head: "3fff", bits: 20 },
  { head: "2001:2:0", bits: 48 },
  { head: "100:0:0:0", bits: 64 },
  { head: "2001:10", bits: 28 },
  { head: "2001:20", bits: 28 },
  { head: "5f00", bits: 16 },
  { head: "4000", bits: 3 },
];

function groupsOf(value: bigint): string[] {
  return Array.from({ length: 8 }, (_, at) => ((value >> BigInt(16 * (7 - at))) & 0xffffn).toString(16));
}

/** The address with one of its runs of zeros shortened, or with none. */
function compressions(groups: readonly string[]): string[] {
  const whole = groups.join(":");
  const padded = groups.map((each) => each.padStart(4, "0")).join(":");
  const short: string[] = [];
  for (let start = 0; start < 8; start += 1) {
    for (let end = start + 1; end <= 8 && groups[end - 1] === "0"; end += 1) {
      short.push(`${groups.slice(0, start).join(":")}::${groups.slice(end).join(":")}`);
    }
  }
  return [whole, padded, ...short];
}

/** An internal IPv6 address, in brackets, in one of its spellings. */
export const insideV6: fc.Arbitrary<string> = fc
  .oneof(
    fc.constantFrom(0n, 1n, 0xfd00_0ec2n * 2n ** 96n + 0x254n),
    fc
      .tuple(fc.constantFrom(...insideV6Prefixes), fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }))
      .map(([prefix, noise]) => {
        const groups = prefix.head.split(":");
        const head =
          groups.reduce((sum, each) => sum * 65_536n + BigInt(`0x${each}`), 0n) << BigInt(128 - 16 * groups.length);
        return head | (noise & ((1n << BigInt(128 - prefix.bits)) - 1n));
      }),
  )
  .chain((value) => fc.constantFrom(...compressions(groupsOf(value))))
  .chain(randomCase)
  .chain((plain) => fc.constantFrom(plain, plain, `${plain}%lo`))
  .map((plain) => `[${plain}]`);
