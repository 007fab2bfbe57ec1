// A list of hosts: `files.example.com`, `10.0.0.7:8080`, `[fd00::7]`, `*.example.com`, each with a port or without.
// Hosts are compared as a URL spells them. An address on the list does not admit the names that lead to it.

/** One entry. `suffix` entries admit every name that ends in it, not the suffix itself. */
export interface HostPattern {
  host: string;
  suffix: boolean;
  /** Null admits whatever port the caller would allow anyway. */
  port: number | null;
}

/** How a host stands on a list: with its port, without one, or not at all. */
export type Listing = "host_and_port" | "host" | "none";

const entry = /^(?<wildcard>\*\.)?(?<host>\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]*%]+)(?::(?<port>\d{1,5}))?$/i;

/** The host as `URL` spells it, without the trailing dot; null where it is none. */
function canonicalHost(text: string): string | null {
  const host = URL.parse(`http://${text}/`)?.hostname ?? "";
  return host.replace(/\.$/, "") || null;
}

/** Reads one entry; null where it makes no sense. */
export function readHostPattern(text: string): HostPattern | null {
  const groups = entry.exec(text.trim())?.groups;
  if (groups === undefined) return null;
  const host = canonicalHost(groups.host ?? "");
  const port = groups.port === undefined ? null : Number(groups.port);
  if (host === null || port === 0 || (port ?? 0) > 65_535) return null;
  const suffix = groups.wildcard !== undefined;
  // "*.0.0.1" would admit addresses by their last digits.
  if (suffix && /^\[|(?:^|\.)\d+$/.test(host)) return null;
  return { host, suffix, port };
}

/** Reads a comma list. Null when any entry makes no sense: half of a list is not what was meant. */
export function readHostList(text: string): readonly HostPattern[] | null {
  if (text.trim() === "") return [];
  const patterns = text.split(",").map(readHostPattern);
  return patterns.includes(null) ? null : patterns.filter((pattern) => pattern !== null);
}

/** How `host`, as a URL spells it, stands on the list. */
export function listingOf(patterns: readonly HostPattern[], host: string, port: number): Listing {
  const name = host.replace(/\.$/, "");
  const found = patterns.filter((pattern) => {
    const fits = pattern.suffix ? name.endsWith(`.${pattern.host}`) : name === pattern.host;
    return fits && (pattern.port === null || pattern.port === port);
  });
  if (found.length === 0) return "none";
  return found.some((pattern) => pattern.port !== null) ? "host_and_port" : "host";
}
