// Looks names up over HTTPS, since a Worker has no resolver of its own to ask. Both kinds of address are asked for, aliases
// are followed to their end, and an answer counts only when everything could be learned: it fails closed.

import { dnsName, endOfAliases, readDnsAnswer, recordTypes } from "#lib/outbound/dns-answer.ts";
import type { DnsRecord } from "#lib/outbound/dns-answer.ts";

import type { Resolution, Resolver } from "../ports/resolver.ts";
import { boundedBody } from "./bounded-body.ts";
import { Exchange } from "./exchange.ts";
import type { Way } from "./exchange.ts";

/** Bounds of looking up. */
const bounds = {
  /** A question's whole time, in milliseconds, from when it is sent. */
  questionMs: 5000,
  /** Bytes of an answer. */
  answerBytes: 65_536,
  /** Answers that only name another alias, in a row. */
  aliases: 8,
  /** Longest time an answer is kept, in seconds, whatever it says of itself. */
  keptSeconds: 60,
  /** Names kept at a time. */
  keptNames: 256,
};

interface Kept {
  addresses: readonly string[];
  /** Microseconds since epoch. */
  until: number;
}

/** What a question brought: its addresses and how many seconds they hold. */
interface Found {
  addresses: readonly string[];
  seconds: number;
}

/** A resolver that asks the server at `url` in JSON (`application/dns-json`). A null `url` can tell nothing. */
export function createDnsOverHttps(way: Way, url: URL | null): Resolver {
  const kept = new Map<string, Kept>();

  return {
    async resolve(name, signal): Promise<Resolution> {
      if (url === null) return { ok: false };
      const now = way.clock.now();
      const known = kept.get(name);
      if (known !== undefined && known.until > now) return { ok: true, addresses: known.addresses };
      kept.delete(name);
      const asked = [recordTypes.A, recordTypes.AAAA].map((type) => findAddresses({ way, url, signal }, name, type));
      const found = await Promise.all(asked);
      const answers = found.filter((each) => each !== null);
      if (answers.length < found.length) return { ok: false };
      const addresses = answers.flatMap((each) => each.addresses);
      const seconds = Math.min(bounds.keptSeconds, ...answers.map((each) => each.seconds));
      if (addresses.length > 0 && seconds > 0) {
        if (kept.size >= bounds.keptNames) kept.delete(kept.keys().next().value ?? name);
        kept.set(name, { addresses, until: now + seconds * 1_000_000 });
      }
      return { ok: true, addresses };
    },
  };
}

interface Asking {
  way: Way;
  url: URL;
  signal: AbortSignal;
}

/** Addresses of one kind, over all aliases; null when they could not be learned. */
async function findAddresses(asking: Asking, name: string, type: number): Promise<Found | null> {
  let at = dnsName(name);
  let seconds = Number.POSITIVE_INFINITY;
  for (let hop = 0; hop <= bounds.aliases; hop += 1) {
    const records = await ask(asking, at, type);
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

/** One question. Null for every answer but a whole and clear one. */
async function ask({ way, url, signal }: Asking, name: string, type: number): Promise<readonly DnsRecord[] | null> {
  const question = new URL(url);
  question.searchParams.set("name", name);
  question.searchParams.set("type", String(type));
  const exchange = new Exchange(way, signal);
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
    // Whatever it was, nothing was learned.
    return null;
  } finally {
    exchange.end();
  }
}
