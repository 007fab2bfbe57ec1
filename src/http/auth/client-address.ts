// The client address under which wrong credentials are counted. On Cloudflare a header contains it that clients cannot change. A
// local server forwards the header that the client sends, so there it is ignored.

import { isLoopbackHost } from "./loopback.ts";

/** The address; null if it is unknown. An IPv6 /64 network counts as one address, because one client can use all of it. */
export function clientAddress(request: Request, isLocal: boolean): string | null {
  if (isLocal || isLoopbackHost(new URL(request.url).host)) return null;
  const address = request.headers.get("cf-connecting-ip");
  return address?.includes(":") === true ? networkOf(address) : address;
}

/** The first four groups, with the zeros that `::` abbreviates. An IPv4 address in IPv6 form is kept complete. */
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
