// The requests that a test would send: `fetch` of this isolate, which packages use too. The script of the thread answers a request, or the
// hosts of the plugin's option `network` receive it. Every other request fails, and the turn with it. The plugin blocks the ways out of the
// isolate that are no `fetch`, such as sockets. Invariant: a request that is not allowed reaches no server.

import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import { listingOf, readHostList, type HostPattern } from "#lib/outbound/host-list.ts";

import { scriptOf } from "./script.ts";
import type { Script } from "./script.ts";

/** The hosts that tests may send requests to: those of the list, or all for `true`. */
export type AllowedNetwork = boolean | readonly string[];

/** The part of Node's `AsyncLocalStorage` that is used. */
interface AsyncContext {
  run<T>(id: string, work: () => T): T;
  getStore(): string | undefined;
}

/** The part of the global `process`, which the runtime of tests always has. */
interface RuntimeProcess {
  getBuiltinModule(name: "node:async_hooks"): { AsyncLocalStorage: new () => AsyncContext };
}

// Not imported, because Vite's optimizer would look for the module in the project's packages.
const { AsyncLocalStorage } = (globalThis as unknown as { process: RuntimeProcess }).process.getBuiltinModule(
  "node:async_hooks",
);

/** The id of the thread whose code runs. */
const currentThread = new AsyncLocalStorage();

let allowed: true | readonly HostPattern[] = [];
let redact = (text: string): string => text;

/** Replaces `fetch`. From then on only requests to these hosts are sent. */
export function configureNetwork(network: AllowedNetwork): void {
  replaceFetch();
  allowed = typeof network === "boolean" ? network || [] : (readHostList(network.join(",")) ?? []);
}

/** Sets the function that removes the secrets of the deployment from errors. */
export function redactWith(clean: (text: string) => string): void {
  redact = clean;
}

/** Runs code of a thread. Requests that it sends by `fetch`, also later, are answered by the thread's script. */
export function inThread<T>(id: string, work: () => T): T {
  return currentThread.run(id, work);
}

/** The error for a request that neither a script nor the network may answer. */
function refusalOf(script: Script | undefined, method: string, url: URL): string {
  // A path may contain a secret. The host is part of the fix.
  const place = `${method} ${url.origin}${redact(url.pathname)}`;
  const scripted =
    script === undefined
      ? 'script it by vi.spyOn(globalThis, "fetch")'
      : script.fetch === undefined
        ? "script it by startThread(…, { fetch: (request) => new Response(…) })"
        : "let the function `fetch` of startThread return a response for it";
  return (
    `The code under test requested ${place}, and tests send no requests. Either ${scripted}, or let it pass by ` +
    `threadhold({ network: ["${url.host}"] }) in the configuration of vitest.`
  );
}

/**
 * The fetch for addresses that users, models and definitions chose. If nothing may answer a request, it is refused before `inner` checks the
 * address, whose errors would not name the cause.
 */
export function refusingFetch(inner: OutboundFetch, script: () => Script | undefined): OutboundFetch {
  return async (input, init) => {
    const url = URL.parse(String(input));
    const own = script();
    if (url === null || !isHttp(url) || own?.fetch !== undefined || isAllowed(url)) return inner(input, init);
    const refusal = refusalOf(own, init?.method ?? "GET", url);
    own?.fail(refusal);
    throw new TypeError(refusal);
  };
}

type Fetch = typeof globalThis.fetch;

/** The property of the replaced `fetch` that has the one of the platform. A test file may load this module again. */
const platformKey = Symbol.for("threadhold.testing.platform-fetch");

function replaceFetch(): void {
  const platformFetch = (globalThis.fetch as Fetch & { [platformKey]?: Fetch })[platformKey] ?? globalThis.fetch;
  const replacement = async (input: Parameters<Fetch>[0], init?: Parameters<Fetch>[1]): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    // Other addresses, such as those with `data:`, lead to no server.
    if (!isHttp(url)) return platformFetch(input, init);
    const script = scriptOf(currentThread.getStore() ?? "");
    const response =
      script?.fetch === undefined ? undefined : await script.answerFetch(script.fetch, new Request(input, init));
    if (response !== undefined) return response;
    if (isAllowed(url)) return platformFetch(input, init);
    const method = init?.method ?? (input instanceof Request ? input.method : "GET");
    const refusal = refusalOf(script, method.toUpperCase(), url);
    script?.fail(refusal);
    throw new TypeError(refusal);
  };
  globalThis.fetch = Object.assign(replacement, { [platformKey]: platformFetch }) as Fetch;
}

const isHttp = ({ protocol }: URL): boolean => protocol === "http:" || protocol === "https:";

function isAllowed({ hostname, port, protocol }: URL): boolean {
  if (allowed === true) return true;
  const standard = protocol === "https:" ? 443 : 80;
  return listingOf(allowed, hostname, port === "" ? standard : Number(port)) !== "none";
}
