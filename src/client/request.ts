// Sends requests: fills in a route's address, adds the credentials, reads refusals, and sends again what may be sent again.
// A request is sent again only where that cannot do a thing twice: by its method, by its idempotency key, or because the server
// said that it did nothing (429).

import { backOffMs } from "#lib/back-off.ts";
import { pause } from "#lib/timers.ts";

import { pathOf, queryOf } from "./address.ts";
import type { QueryValue } from "./address.ts";
import { errorOfAnswer, isPassing, ThreadholdClientError, ThreadholdNetworkError } from "./client-error.ts";
import type { RouteAnswer, RouteBody, RouteKey, RouteParams, RouteQuery } from "./route-type.ts";
import type { ClientFetch, RequestBody, Settings } from "./settings.ts";

const backOff = { first: 300, longest: 10_000 };

/**
 * A header that shows a local server in its open mode that no page on a rebound name (DNS rebinding) sends the request. Browsers
 * replace the header in requests of pages. Methods other than GET and HEAD do not need it.
 */
function sentByProgram(method: string | undefined): Record<string, string> {
  return method === undefined || method === "GET" || method === "HEAD" ? { "sec-fetch-site": "none" } : {};
}

/** A server that asks for a longer wait is not waited for; the error says how long. */
const longestWaitMs = 60_000;

/** What can be said of every request. */
export interface RequestOptions {
  /** Leaves: nothing more is sent, and what was sent is not waited for. It undoes nothing. */
  signal?: AbortSignal | undefined;
}

/** What can be said of a request that creates. */
export interface KeyedOptions extends RequestOptions {
  /** The same key and body give the first answer again. Made for each call where it is not given. */
  idempotencyKey?: string | undefined;
}

/** What a request carries. */
export type RouteRequest<K extends RouteKey> = RequestOptions & {
  query?: RouteQuery<K> | undefined;
  /** Sent as JSON. */
  body?: RouteBody<K> | undefined;
  /** Sent as it is; called for each try. */
  raw?: (() => RequestBody) | undefined;
  headers?: Record<string, string> | undefined;
  key?: string | undefined;
  /** It may be sent again. By default what its method or a key allows. */
  repeatable?: boolean | undefined;
  /** Tries after the first; the client's own by default. */
  retries?: number | undefined;
  /** Milliseconds to wait for an answer; null for as long as it takes. */
  timeoutMs?: number | null | undefined;
  /** Sends it in place of the client's own. */
  fetch?: ClientFetch | undefined;
} & (keyof RouteParams<K> extends never ? { params?: undefined } : { params: RouteParams<K> });

/** What an address is made with. */
interface Values {
  params?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, QueryValue>> | undefined;
}

/** A request as it is sent, whatever its route. */
interface Outgoing extends RequestOptions {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: (() => RequestBody) | null;
  timeoutMs: number | null;
  fetch: ClientFetch;
}

/** Sends what a client asks for. */
export class Requests {
  readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** The answer of a route that streams. */
  stream(
    key: RouteKey,
    request: RequestOptions & Values & { headers: Record<string, string>; retries: number; timeoutMs: number },
  ): Promise<Response> {
    return this.send(key, request as RouteRequest<RouteKey>);
  }

  /** The address of a route. */
  address(key: RouteKey, { params, query }: Values): string {
    const path = key.slice(key.indexOf(" ") + 1);
    return `${this.settings.url}${pathOf(path, params ?? {})}${queryOf({ ...query })}`;
  }

  /** The answer's JSON; undefined where it has none. */
  async json<K extends RouteKey>(key: K, request: RouteRequest<K>): Promise<RouteAnswer<K>> {
    return jsonOf(await this.send(key, request), request.signal);
  }

  /** The successful answer. Throws a `ThreadholdClientError` for another, a `ThreadholdNetworkError` where none came. */
  async send<K extends RouteKey>(key: K, request: RouteRequest<K>): Promise<Response> {
    const { body, raw, signal } = request;
    const method = key.slice(0, key.indexOf(" "));
    const json = body === undefined ? null : JSON.stringify(body);
    const headers = { ...request.headers };
    if (json !== null) headers["content-type"] = "application/json";
    if (request.key !== undefined) headers["idempotency-key"] = request.key;
    const outgoing: Outgoing = {
      method,
      url: this.address(key, request as Values),
      headers,
      body: raw ?? (json === null ? null : () => json),
      timeoutMs: request.timeoutMs === undefined ? this.settings.timeoutMs : request.timeoutMs,
      fetch: request.fetch ?? this.settings.fetch,
      signal,
    };
    const repeatable = request.repeatable ?? (request.key !== undefined || /^(GET|PUT|DELETE)$/.test(method));
    return this.#sendAgain(outgoing, repeatable, request.retries ?? this.settings.retries);
  }

  /** A request of an application's own making, to a path of the deployment. */
  async fetch(path: string, init: RequestInit): Promise<Response> {
    if (!path.startsWith("/")) throw new TypeError(`"${path}" is no path: it begins with a slash.`);
    const headers = new Headers(init.headers);
    const token = await this.settings.token();
    if (token !== null) headers.set("authorization", `Bearer ${token}`);
    for (const [name, value] of Object.entries(sentByProgram(init.method))) headers.set(name, value);
    try {
      return await this.settings.fetch(`${this.settings.url}${path}`, { ...init, headers, redirect: "manual" });
    } catch (thrown) {
      init.signal?.throwIfAborted();
      throw new ThreadholdNetworkError("The connection failed.", { cause: thrown });
    }
  }

  async #sendAgain(outgoing: Outgoing, repeatable: boolean, retries: number): Promise<Response> {
    let unsure = false;
    for (let attempt = 1; ; attempt++) {
      outgoing.signal?.throwIfAborted();
      try {
        return await this.#sendOnce(outgoing);
      } catch (thrown) {
        outgoing.signal?.throwIfAborted();
        if (unsure && isGone(outgoing, thrown)) return new Response(null, { status: 204 });
        const limited = thrown instanceof ThreadholdClientError && thrown.code === "rate_limited";
        if (attempt > retries || !isPassing(thrown) || !(repeatable || limited)) throw thrown;
        const asked = thrown instanceof ThreadholdClientError ? (thrown.retryAfterMs ?? 0) : 0;
        if (asked > longestWaitMs) throw thrown;
        unsure ||= !limited;
        await this.#wait(asked + backOffMs(attempt, backOff, this.settings.random()), outgoing.signal);
      }
    }
  }

  async #sendOnce({ method, url, headers, body, timeoutMs, fetch, signal }: Outgoing): Promise<Response> {
    const token = await this.settings.token();
    const all = {
      ...headers,
      ...sentByProgram(method),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
    const late = new AbortController();
    const callOff = timeoutMs === null ? null : this.settings.timers.after(timeoutMs, () => late.abort());
    const data = body?.();
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        headers: all,
        // A token goes to the one address it was given for.
        redirect: "manual",
        signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
        ...(data === undefined ? {} : { body: data }),
        ...(data instanceof ReadableStream ? { duplex: "half" } : {}),
      } as RequestInit);
    } catch (thrown) {
      signal?.throwIfAborted();
      const what = late.signal.aborted ? `No answer within ${timeoutMs} ms` : "The connection failed";
      throw new ThreadholdNetworkError(`${what}: ${method} ${withoutQuery(url)}`, { cause: thrown });
    } finally {
      callOff?.();
    }
    if (response.ok || response.status === 304) return response;
    throw await errorOfAnswer(response);
  }

  async #wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    const wait = pause(this.settings.timers, milliseconds);
    const leave = (): void => wait.cancel();
    signal?.addEventListener("abort", leave);
    await wait.done;
    signal?.removeEventListener("abort", leave);
    signal?.throwIfAborted();
  }
}

/** The response's JSON, for callers that need its headers as well; undefined where it has none. `signal` is the request's. */
export async function jsonOf<K extends RouteKey>(response: Response, signal?: AbortSignal): Promise<RouteAnswer<K>> {
  const text = response.status === 204 ? "" : await textOf(response, signal);
  return (text === "" ? undefined : parsed(text, response.status)) as RouteAnswer<K>;
}

/** The whole body; one that breaks off is a failure of the network. */
async function textOf(response: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await response.text();
  } catch (thrown) {
    // Chromium rejects an aborted body with an error of its own, not with the signal's reason.
    signal?.throwIfAborted();
    if (thrown instanceof Error && thrown.name === "AbortError") throw thrown;
    throw new ThreadholdNetworkError("The answer broke off.", { cause: thrown });
  }
}

function parsed(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = "An answer that is no JSON, from something that is not the API. Check the client's `url`.";
    throw new ThreadholdClientError({ code: "unexpected_answer", message, status });
  }
}

/** A deletion whose first answer was lost finds nothing left to delete. */
function isGone({ method }: Outgoing, thrown: unknown): boolean {
  return method === "DELETE" && thrown instanceof ThreadholdClientError && thrown.status === 404;
}

function withoutQuery(url: string): string {
  return url.split("?")[0] ?? "";
}
