// The address that guesses of credentials are counted by. The platform names it in a header of its own, over which a client has
// no say; a local server passes on whatever a client sends there.

import { isLoopbackHost } from "./loopback.ts";

/** The address, or null where the platform names none. A network of IPv6 (/64) is one address: its holder has all of it. */
export function clientAddress(request: Request, isLocal: boolean): string | null {
  if (isLocal || isLoopbackHost(new URL(request.url).host)) return null;
  const address = request.headers.get("cf-connecting-ip");
  return address?.includes(":") === true ? networkOf(address) : address;
}

/** The first four groups, with those that `::` stands for. An IPv4 address in IPv6 form stays whole. */
function networkOf(address: string): string {
  if (address.includes(".")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const [before, after] = [head, tail ?? ""].map((part) => part.split(":").filter((group) => group !== ""));
  const missing = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0);
  const groups = [...(before ?? []), ...Array<string>(Math.max(0, missing)).fill("0"), ...(after ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
