// The requests of the command `curl`. Each request, also each redirect, has to go to a host of the tool's option `network` and passes through
// the guarded fetch of the thread, which refuses private networks.

import type { BashOptions } from "just-bash/browser";

import { refuse } from "#contract/error.ts";
import { anySignal } from "#lib/any-signal.ts";
import { listingOf, readHostPattern } from "#lib/outbound/host-list.ts";
import type { HostPattern } from "#lib/outbound/host-list.ts";
import { redirected, redirectLocation } from "#lib/outbound/redirect.ts";
import type { Redirectable } from "#lib/outbound/redirect.ts";
import type { ExtendedThreadState } from "#spec/index.ts";

import type { CommandNetwork } from "./run-command.ts";

type SecureFetch = NonNullable<BashOptions["fetch"]>;
type FetchOptions = NonNullable<Parameters<SecureFetch>[1]>;
type FetchResult = Awaited<ReturnType<SecureFetch>>;

/** The default of the option `methods`. */
const readMethods: readonly string[] = ["GET", "HEAD"];

/** The maximum number of redirects, and of milliseconds for a request with its redirects. */
const mostRedirects = 5;
const mostMs = 60_000;

/** The default of the option `maxRequests`. The platform limits the requests of a thread's object, and requests to models count as well. */
const mostRequests = 100;

/** Creates the function that sends the requests of a command. */
export function commandFetch(network: CommandNetwork, state: ExtendedThreadState, signal: AbortSignal): SecureFetch {
  const hosts = hostsOf(network);
  const methods = network.methods ?? readMethods;
  const count = requestCounter(network.maxRequests ?? mostRequests);
  return async (address, options = {}) => {
    const method = (options.method ?? "GET").toUpperCase();
    if (!methods.includes(method)) {
      throw refuse("invalid_request", `HTTP method ${method} not allowed. Allowed are ${methods.join(", ")}.`);
    }
    const url = URL.parse(address);
    if (url === null) throw refuse("invalid_request", `${address} is no valid URL.`);
    const headers = new Headers(options.headers);
    const request = { url, method, headers, body: options.body ?? null };
    return follow(request, { hosts, state, signal, options, count, bytes: network.maxResponseBytes });
  };
}

/** Returns a function that is called before each request. It throws if there have been too many. */
function requestCounter(most: number): () => void {
  let requests = 0;
  return () => {
    requests += 1;
    if (requests <= most) return;
    throw refuse("invalid_request", `A command sends at most ${most} requests. Split the work into several commands.`);
  };
}

/** Reads the hosts of the option. Throws if one of them is invalid. */
export function hostsOf({ allowedHosts }: CommandNetwork): readonly HostPattern[] {
  return allowedHosts.map((host) => {
    const pattern = readHostPattern(host);
    if (pattern !== null) return pattern;
    throw refuse(
      "invalid_request",
      `network.allowedHosts of bash contains ${JSON.stringify(host)}, which is no host. Write host, host:port or *.suffix.`,
    );
  });
}

interface Sender {
  hosts: readonly HostPattern[];
  state: ExtendedThreadState;
  signal: AbortSignal;
  options: FetchOptions;
  /** Called before each request. */
  count: () => void;
  bytes: number | undefined;
}

/** Sends a request and follows its redirects. */
async function follow(
  first: Redirectable,
  { hosts, state, signal, options, count, bytes }: Sender,
): Promise<FetchResult> {
  const follows = options.followRedirects ?? true;
  const redirects = Math.min(options.maxRedirects ?? mostRedirects, mostRedirects);
  let request = first;
  for (let followed = 0; ; followed += 1) {
    const { url, method, headers, body } = request;
    assertListed(url, hosts);
    count();
    const response = await state.fetch(url, {
      method,
      headers,
      // Only the shell creates bodies, and they are texts.
      body: body as string | null,
      signal: options.signal === undefined ? signal : anySignal([signal, options.signal]),
      redirect: "manual",
      limits: {
        totalMs: Math.min(options.timeoutMs ?? mostMs, mostMs),
        ...(bytes === undefined ? {} : { bytes }),
      },
    });
    const location = follows ? redirectLocation(response) : null;
    if (location === null) return resultOf(response, url);
    await response.body?.cancel();
    if (followed >= redirects) throw refuse("invalid_request", "Too many redirects");
    const target = URL.parse(location, url.href);
    if (target === null) throw refuse("invalid_request", `${url.host} redirects to an address that is no valid URL.`);
    const next = redirected(request, response.status, target);
    if (!next.ok) throw refuse("invalid_request", `${url.host} redirects to ${target.host}, which is not followed.`);
    request = next.request;
  }
}

function assertListed(url: URL, hosts: readonly HostPattern[]): void {
  const port = Number(url.port) || (url.protocol === "http:" ? 80 : 443);
  if (listingOf(hosts, url.hostname, port) !== "none") return;
  // The shell's `curl` recognises the beginning of this text and returns its exit code 7.
  throw refuse(
    "invalid_request",
    `Network access denied: ${url.host} is not one of the hosts that this tool may request.`,
  );
}

async function resultOf(response: Response, url: URL): Promise<FetchResult> {
  return {
    status: response.status,
    statusText: response.statusText,
    headers: Object.fromEntries(response.headers),
    body: new Uint8Array(await response.arrayBuffer()),
    url: response.url === "" ? url.href : response.url,
  };
}
