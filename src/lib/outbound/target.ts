// Judges where a request would go, from its URL alone: scheme, credentials, port, host. What is judged is the parsed URL,
// and the parsed URL is what has to be requested, so no second parser can read another host out of the text.

import { listingOf } from "./host-list.ts";
import type { HostPattern } from "./host-list.ts";
import { readHost } from "./host.ts";

/** Why a URL must not be requested. */
type TargetProblem = "malformed" | "scheme" | "credentials" | "port" | "inside";

/** Where a request goes. `label` is host and port, the one part of a URL that may be repeated to others. */
export interface Target {
  url: URL;
  label: string;
  /** The name that has to be looked up first; null for an address, and for a host on the list. */
  lookUp: string | null;
}

/** A target, or what is wrong with it; `label` is null where no host could be read. */
export type TargetAnswer = { ok: true; target: Target } | { ok: false; problem: TargetProblem; label: string | null };

/** Longest URL that is requested, in UTF-16 units. */
export const longestUrl = 8192;

/** Ports from 1024 on that the fetch standard keeps browsers from, because other protocols listen there. */
const otherProtocols = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

function isUsualPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && !otherProtocols.has(port));
}

/** The port that a request to `url` goes to. */
function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

/**
 * Judges a URL. Https to public addresses and to names is let through, on the ports 80, 443 and from 1024 on; a host on the
 * list may lie inside and be asked over http, and one that is listed with its port may be asked there whichever it is.
 * The fragment is dropped.
 */
export function readTarget(input: string | URL, listed: readonly HostPattern[]): TargetAnswer {
  const text = String(input);
  const url = text.length > longestUrl ? null : URL.parse(text);
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
