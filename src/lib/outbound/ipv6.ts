// Reads IPv6 addresses in any case, with `::`, an IPv4 tail and brackets. A zone (`%eth0`) is dropped, since it only selects a network
// interface of this machine.

const group = /^[0-9a-f]{1,4}$/i;
const dottedTail = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** Replaces a tail such as `1.2.3.4` by two groups of hexadecimal digits. */
function withoutDottedTail(text: string): string | null {
  if (!text.includes(".")) return text;
  const start = text.lastIndexOf(":") + 1;
  const tail = text.slice(start);
  if (start === 0 || !dottedTail.test(tail)) return null;
  const [a = 0, b = 0, c = 0, d = 0] = tail.split(".").map(Number);
  return `${text.slice(0, start)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function readGroups(text: string): string[] | null {
  const groups = text === "" ? [] : text.split(":");
  return groups.every((each) => group.test(each)) ? groups : null;
}

/** The address as a number below 2^128; null if the text is not an address. */
export function readIpv6(text: string): bigint | null {
  const inner = /^\[(.*)\]$/s.exec(text)?.[1] ?? text;
  const plain = withoutDottedTail(inner.replace(/%.*$/s, ""));
  if (plain === null || !plain.includes(":")) return null;
  const halves = plain.split("::");
  if (halves.length > 2) return null;
  const head = readGroups(halves[0] ?? "");
  const tail = readGroups(halves[1] ?? "");
  if (head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...Array<string>(missing).fill("0"), ...tail];
  return groups.reduce((sum, each) => (sum << 16n) | BigInt(Number.parseInt(each, 16)), 0n);
}
