// Reads lists of hosts: `files.example.com`, `10.0.0.7:8080`, `[fd00::7]`, `*.example.com`, each with or without a port. Hosts are
// compared in the notation of URLs. An address on a list does not allow the names that resolve to it.

/** One entry. A `suffix` entry matches every name that ends with it, but not the suffix itself. */
export interface HostPattern {
  host: string;
  suffix: boolean;
  /** Null: every port that is allowed without the list. */
  port: number | null;
}

/** How a list contains a host: with its port, without a port, or not at all. */
export type Listing = "host_and_port" | "host" | "none";

const entry = /^(?<wildcard>\*\.)?(?<host>\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]*%]+)(?::(?<port>\d{1,5}))?$/i;

/** The host in the notation of `URL`, without the trailing dot; null if it is not a host. */
function canonicalHost(text: string): string | null {
  const host = URL.parse(`http://${text}/`)?.hostname ?? "";
  return host.replace(/\.$/, "") || null;
}

/** Reads one entry; null if it is invalid. */
export function readHostPattern(text: string): HostPattern | null {
  const groups = entry.exec(text.trim())?.groups;
  if (groups === undefined) return null;
  const host = canonicalHost(groups.host ?? "");
  const port = groups.port === undefined ? null : Number(groups.port);
  if (host === null || port === 0 || (port ?? 0) > 65_535) return null;
  const suffix = groups.wildcard !== undefined;
  // "*.0.0.1" would match addresses by their last digits.
  if (suffix && /^\[|(?:^|\.)\d+$/.test(host)) return null;
  return { host, suffix, port };
}

/** Reads a comma-separated list; null if any entry is invalid, so that a list with a mistake is never applied in part. */
export function readHostList(text: string): readonly HostPattern[] | null {
  if (text.trim() === "") return [];
  const patterns = text.split(",").map(readHostPattern);
  return patterns.includes(null) ? null : patterns.filter((pattern) => pattern !== null);
}

/** How the list contains `host`, which is in the notation of URLs. */
export function listingOf(patterns: readonly HostPattern[], host: string, port: number): Listing {
  const name = host.replace(/\.$/, "");
  const found = patterns.filter((pattern) => {
    const fits = pattern.suffix ? name.endsWith(`.${pattern.host}`) : name === pattern.host;
    return fits && (pattern.port === null || pattern.port === port);
  });
  if (found.length === 0) return "none";
  return found.some((pattern) => pattern.port !== null) ? "host_and_port" : "host";
}
