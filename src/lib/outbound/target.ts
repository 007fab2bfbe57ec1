// Checks the target of a request by its URL: scheme, credentials, port and host. The check returns the parsed URL, and that URL has to
// be requested, so that no second parser can read another host in the text.

import { listingOf } from "./host-list.ts";
import type { HostPattern } from "./host-list.ts";
import { readHost } from "./host.ts";

/** Why a URL must not be requested. */
type TargetProblem = "malformed" | "scheme" | "credentials" | "port" | "inside";

/** A target that may be requested. `label` is host and port, the only part of the URL that errors may repeat. */
export interface Target {
  url: URL;
  label: string;
  /** The name to resolve first; null for an address, and for a host on the list. */
  lookUp: string | null;
}

/** A target, or why the URL is refused. `label` is null if the URL has no readable host. */
export type TargetAnswer = { ok: true; target: Target } | { ok: false; problem: TargetProblem; label: string | null };

/** Longest URL that is requested, in UTF-16 units. */
export const maxUrlLength = 8192;

/** Ports from 1024 on that the fetch standard blocks in browsers, because other protocols use them. */
const blockedPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

function isUsualPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && !blockedPorts.has(port));
}

/** The port that a request to `url` uses. */
function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

/**
 * Checks a URL. Allowed are https URLs with names and public addresses, on the ports 80, 443 and from 1024 on. A host on the list may be
 * internal and may use http; if it is listed with its port, that port is allowed whatever its number. The fragment is dropped.
 */
export function readTarget(input: string | URL, listed: readonly HostPattern[]): TargetAnswer {
  const text = String(input);
  const url = text.length > maxUrlLength ? null : URL.parse(text);
  if (url === null) return { ok: false, problem: "malformed", label: null };
  if (url.protocol !== "https:" && url.protocol !== "http:") return { ok: false, problem: "scheme", label: null };
  url.hash = "";

  const host = readHost(url.hostname);
  const label = url.host;
  const refused = (problem: TargetProblem): TargetAnswer => ({ ok: false, problem, label });
  if (host.type === "malformed") return { ok: false, problem: "malformed", label: null };
  if (url.username !== "" || url.password !== "") return refused("credentials");

  const port = portOf(url);
  const listing = listingOf(listed, url.hostname, port);
  if (listing !== "host_and_port" && !isUsualPort(port)) return refused("port");
  if (listing !== "none") return { ok: true, target: { url, label, lookUp: null } };
  if (host.type === "address" ? host.kind !== "public" : host.inside) return refused("inside");
  if (url.protocol === "http:") return refused("scheme");
  return { ok: true, target: { url, label, lookUp: host.type === "name" ? host.name : null } };
}
