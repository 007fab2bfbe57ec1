// Sends HTTP requests to the API: builds the address, adds the credentials, converts error responses to exceptions, and retries. A request
// is retried only if it cannot take effect twice: because of its method, its idempotency key or `repeatable`, or because the server refused
// it without acting (429).

import { backOffMs } from "#lib/back-off.ts";
import { pause } from "#lib/timers.ts";

import { pathOf, queryOf } from "./address.ts";
import type { QueryValue } from "./address.ts";
import {
  errorFromResponse,
  isTransient,
  textOf,
  ThreadholdClientError,
  ThreadholdNetworkError,
  tryParse,
} from "./client-error.ts";
import type { RouteAnswer, RouteBody, RouteKey, RouteParams, RouteQuery } from "./route-type.ts";
import type { ClientFetch, RequestBody, Settings } from "./settings.ts";

const backOff = { first: 300, longest: 10_000 };

/**
 * The longest `Retry-After` in milliseconds that the client waits for. After a response with a longer one, the request is not retried, and
 * the error contains the delay.
 */
const longestWaitMs = 60_000;

/** Options of every request. */
export interface RequestOptions {
  /** Aborts the request and its retries. Effects that the request already had on the server remain. */
  signal?: AbortSignal | undefined;
}

/** Options of a request that creates something. */
export interface KeyedOptions extends RequestOptions {
  /** A request with the same key and body returns the first response again. By default a new key for each call. */
  idempotencyKey?: string | undefined;
}

/** The contents of a request to a built-in route. */
export type RouteRequest<K extends RouteKey> = RequestOptions & {
  query?: RouteQuery<K> | undefined;
  /** Sent as JSON. */
  body?: RouteBody<K> | undefined;
  /** A body that is sent unchanged; called for each attempt. */
  raw?: (() => RequestBody) | undefined;
  /** A header without a value is not sent. */
  headers?: Record<string, string | undefined> | undefined;
  key?: string | undefined;
  /** Whether the request may be retried. Default: depends on its method and its idempotency key. */
  repeatable?: boolean | undefined;
  /** Attempts after the first. Default: the client's setting. */
  retries?: number | undefined;
  /** Milliseconds to wait for the response to begin; null for no limit. */
  timeoutMs?: number | null | undefined;
  /** Replaces the client's `fetch` for this request. */
  fetch?: ClientFetch | undefined;
} & (keyof RouteParams<K> extends never ? { params?: undefined } : { params: RouteParams<K> });

/** Path parameters and query of an address. */
interface Values {
  params?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, QueryValue>> | undefined;
}

/** A request that is ready to be sent. */
interface PreparedRequest<T> extends RequestOptions {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: (() => RequestBody) | null;
  timeoutMs: number | null;
  fetch: ClientFetch;
  /** Reads the response. */
  read: (response: Response) => Promise<T>;
}

/** Sends requests with a client's settings. */
export class Requests {
  readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Returns the response of a route that streams. */
  stream(
    key: RouteKey,
    request: RequestOptions & Values & { headers: Record<string, string>; retries: number; timeoutMs: number },
  ): Promise<Response> {
    return this.send(key, request as RouteRequest<RouteKey>);
  }

  /** Returns the address of a route. */
  address(key: RouteKey, { params, query }: Values): string {
    const path = key.slice(key.indexOf(" ") + 1);
    return `${this.settings.url}${pathOf(path, params ?? {})}${queryOf({ ...query })}`;
  }

  /** Returns the response's JSON; undefined if it has no body. */
  async json<K extends RouteKey>(key: K, request: RouteRequest<K>): Promise<RouteAnswer<K>> {
    return this.#send(key, request, (response) => jsonOf(response, request.signal));
  }

  /** Returns a successful response. Throws `ThreadholdClientError` for an error response, `ThreadholdNetworkError` if none arrived. */
  send<K extends RouteKey>(key: K, request: RouteRequest<K>): Promise<Response> {
    return this.#send(key, request, async (response) => response);
  }

  /** Sends a request and reads its response with `read`. A response that breaks off is retried like one that does not arrive. */
  #send<K extends RouteKey, T>(key: K, request: RouteRequest<K>, read: (response: Response) => Promise<T>): Promise<T> {
    const { body, raw, signal } = request;
    const method = key.slice(0, key.indexOf(" "));
    const json = body === undefined ? null : JSON.stringify(body);
    const headers: Record<string, string> = json === null ? {} : { "content-type": "application/json" };
    for (const [name, value] of Object.entries({ ...request.headers, "idempotency-key": request.key })) {
      if (value !== undefined) headers[name] = value;
    }
    const prepared: PreparedRequest<T> = {
      read,
      method,
      url: this.address(key, request as Values),
      headers,
      body: raw ?? (json === null ? null : () => json),
      timeoutMs: request.timeoutMs === undefined ? this.settings.timeoutMs : request.timeoutMs,
      fetch: request.fetch ?? this.settings.fetch,
      signal,
    };
    const repeatable = request.repeatable ?? (request.key !== undefined || /^(GET|PUT|DELETE)$/.test(method));
    return this.#sendWithRetries(prepared, repeatable, request.retries ?? this.settings.retries);
  }

  /** Sends a request that the application built itself to a path of the deployment. It is sent once, with the client's credentials. */
  async fetch(path: string, init: RequestInit): Promise<Response> {
    if (!path.startsWith("/")) throw new TypeError(`"${path}" is not a path; a path begins with a slash.`);
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(await this.#credentials(init.method))) headers.set(name, value);
    try {
      return await this.settings.fetch(`${this.settings.url}${path}`, { ...init, headers, redirect: "manual" });
    } catch (thrown) {
      init.signal?.throwIfAborted();
      throw new ThreadholdNetworkError("The connection failed.", { cause: thrown });
    }
  }

  async #sendWithRetries<T>(prepared: PreparedRequest<T>, repeatable: boolean, retries: number): Promise<T> {
    let mayHaveSucceeded = false;
    for (let attempt = 1; ; attempt++) {
      prepared.signal?.throwIfAborted();
      try {
        return await prepared.read(await this.#sendOnce(prepared));
      } catch (thrown) {
        prepared.signal?.throwIfAborted();
        if (mayHaveSucceeded && isAlreadyDeleted(prepared, thrown))
          return prepared.read(new Response(null, { status: 204 }));
        const limited = thrown instanceof ThreadholdClientError && thrown.code === "rate_limited";
        if (attempt > retries || !isTransient(thrown) || !(repeatable || limited)) throw thrown;
        const requestedDelay = thrown instanceof ThreadholdClientError ? (thrown.retryAfterMs ?? 0) : 0;
        if (requestedDelay > longestWaitMs) throw thrown;
        mayHaveSucceeded ||= !limited;
        await this.#wait(requestedDelay + backOffMs(attempt, backOff, this.settings.random()), prepared.signal);
      }
    }
  }

  async #sendOnce({
    method,
    url,
    headers,
    body,
    timeoutMs,
    fetch,
    signal,
  }: PreparedRequest<unknown>): Promise<Response> {
    const credentials = await this.#credentials(method);
    const timeout = new AbortController();
    const cancelTimeout = timeoutMs === null ? null : this.settings.timers.after(timeoutMs, () => timeout.abort());
    const data = body?.();
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        headers: { ...headers, ...credentials },
        // Redirects are not followed, because they could send the token to another host.
        redirect: "manual",
        signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
        ...(data === undefined ? {} : { body: data }),
        ...(data instanceof ReadableStream ? { duplex: "half" } : {}),
      } as RequestInit);
    } catch (thrown) {
      signal?.throwIfAborted();
      const what = timeout.signal.aborted ? `No response within ${timeoutMs} ms` : "The connection failed";
      throw new ThreadholdNetworkError(`${what}: ${method} ${withoutQuery(url)}`, { cause: thrown });
    } finally {
      cancelTimeout?.();
    }
    if (response.ok || response.status === 304) return response;
    throw await errorFromResponse(response);
  }

  /**
   * The headers of the caller's identity. A local server without authentication recognises a program's GET or HEAD request by
   * `sec-fetch-site`. A web page that uses DNS rebinding cannot send this header, because browsers overwrite it. For other methods the
   * missing `Origin` header shows the same.
   */
  async #credentials(method = "GET"): Promise<Record<string, string>> {
    const token = await this.settings.token();
    return {
      ...(method === "GET" || method === "HEAD" ? { "sec-fetch-site": "none" } : {}),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
  }

  async #wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    const wait = pause(this.settings.timers, milliseconds);
    const cancel = (): void => wait.cancel();
    signal?.addEventListener("abort", cancel);
    await wait.done;
    signal?.removeEventListener("abort", cancel);
    signal?.throwIfAborted();
  }
}

/** Returns the response's JSON; undefined if it has no body. `signal` is that of the request. */
export async function jsonOf<K extends RouteKey>(response: Response, signal?: AbortSignal): Promise<RouteAnswer<K>> {
  const text = response.status === 204 ? "" : await textOf(response, signal);
  const json = tryParse(text);
  if (json === undefined && text !== "") {
    const message = "No JSON from something that is not the API. Check the client's `url`.";
    throw new ThreadholdClientError({ code: "unexpected_answer", message, status: response.status });
  }
  return json as RouteAnswer<K>;
}

/** Whether a repeated deletion failed with 404. Then an earlier attempt succeeded, and only its response was lost. */
function isAlreadyDeleted({ method }: PreparedRequest<unknown>, thrown: unknown): boolean {
  return method === "DELETE" && thrown instanceof ThreadholdClientError && thrown.status === 404;
}

function withoutQuery(url: string): string {
  return url.split("?")[0] ?? "";
}
