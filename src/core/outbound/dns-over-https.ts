// Resolves host names over HTTPS, since Workers have no resolver. Both address types are queried and aliases are followed to their
// end. It fails closed: a result counts only if every query succeeded.

import { dnsName, endOfAliases, readDnsAnswer, recordTypes } from "#lib/outbound/dns-answer.ts";
import type { DnsRecord } from "#lib/outbound/dns-answer.ts";

import type { Resolution, Resolver } from "../ports/resolver.ts";
import { boundedBody } from "./bounded-body.ts";
import { Exchange } from "./exchange.ts";
import type { Transport } from "./exchange.ts";

/** Limits of resolving. */
const bounds = {
  /** The time of one query from when it is sent, in milliseconds. */
  questionMs: 5000,
  /** Bytes of a response. */
  answerBytes: 65_536,
  /** How many responses in a row may name only another alias. */
  aliases: 8,
  /** How long a result is cached at most, in seconds, whatever its TTL. */
  cacheSeconds: 60,
  /** How many names are cached. */
  cachedNames: 256,
};

interface CachedAddresses {
  addresses: readonly string[];
  /** The end of the cached result's lifetime, in microseconds since epoch. */
  until: number;
}

/** The result of a query: the addresses, and their TTL in seconds. */
interface QueryResult {
  addresses: readonly string[];
  seconds: number;
}

/** A resolver that queries the server at `url` for JSON (`application/dns-json`). If `url` is null, every resolution fails. */
export function createDnsOverHttps(transport: Transport, url: URL | null): Resolver {
  const cache = new Map<string, CachedAddresses>();

  return {
    async resolve(name, signal): Promise<Resolution> {
      if (url === null) return { ok: false };
      const now = transport.clock.now();
      const known = cache.get(name);
      if (known !== undefined && known.until > now) return { ok: true, addresses: known.addresses };
      cache.delete(name);
      const queries = [recordTypes.A, recordTypes.AAAA].map((type) =>
        findAddresses({ transport, url, signal }, name, type),
      );
      const found = await Promise.all(queries);
      const answers = found.filter((each) => each !== null);
      if (answers.length < found.length) return { ok: false };
      const addresses = answers.flatMap((each) => each.addresses);
      const seconds = Math.min(bounds.cacheSeconds, ...answers.map((each) => each.seconds));
      if (addresses.length > 0 && seconds > 0) {
        if (cache.size >= bounds.cachedNames) cache.delete(cache.keys().next().value ?? name);
        cache.set(name, { addresses, until: now + seconds * 1_000_000 });
      }
      return { ok: true, addresses };
    },
  };
}

interface QueryPorts {
  transport: Transport;
  url: URL;
  signal: AbortSignal;
}

/** Finds the addresses of one type, following aliases; null if they could not be determined. */
async function findAddresses(ports: QueryPorts, name: string, type: number): Promise<QueryResult | null> {
  let at = dnsName(name);
  let seconds = Number.POSITIVE_INFINITY;
  for (let hop = 0; hop <= bounds.aliases; hop += 1) {
    const records = await sendQuery(ports, at, type);
    if (records === null) return null;
    seconds = Math.min(seconds, ...records.map((record) => record.ttl));
    const addresses = records.filter((record) => record.type === type).map((record) => record.data);
    const end = endOfAliases(records, at);
    if (addresses.length > 0 || end === at) return { addresses, seconds };
    if (end === null) return null;
    at = end;
  }
  return null;
}

/** Sends one query. Null unless the response is complete and valid. */
async function sendQuery(
  { transport, url, signal }: QueryPorts,
  name: string,
  type: number,
): Promise<readonly DnsRecord[] | null> {
  const question = new URL(url);
  question.searchParams.set("name", name);
  question.searchParams.set("type", String(type));
  const exchange = new Exchange(transport, signal);
  const failed = () => new Error("The resolver gave no answer.");
  const untimed = Number.POSITIVE_INFINITY;
  exchange.limitFromDispatch(bounds.questionMs, failed);
  try {
    const response = await exchange.send(
      question,
      { headers: { accept: "application/dns-json" } },
      { headersMs: untimed, slowHeaders: failed, broken: failed },
    );
    const body: ReadableStream<Uint8Array> | null = response.body;
    if (response.status !== 200 || body === null) {
      await body?.cancel();
      return null;
    }
    const limits = { bytes: bounds.answerBytes, idleMs: untimed };
    const bounded = boundedBody(body, exchange, { ...limits, tooLarge: failed, silent: failed, broken: failed });
    const answer = readDnsAnswer(await new Response(bounded).text());
    return answer.ok ? answer.records : null;
  } catch {
    // Every failure of a query gives the same result: null.
    return null;
  } finally {
    exchange.end();
  }
}
