// Reads the JSON of DNS over HTTPS, in the form that Google and Cloudflare share. Unknown fields are ignored; the fields that are used
// are checked strictly.

import { z } from "zod";

import { parseBoundedOrNull } from "../untrusted/bounded-json.ts";

/** The numbers of record types. */
export const recordTypes = { A: 1, CNAME: 5, AAAA: 28 } as const;

/** One record. `name` and the `data` of a CNAME are in lower case, without the trailing dot. */
export interface DnsRecord {
  name: string;
  type: number;
  /** Seconds. */
  ttl: number;
  data: string;
}

/** The records, an empty list if the name or the type does not exist; not `ok` if the resolver could not determine them. */
export type DnsAnswer = { ok: true; records: readonly DnsRecord[] } | { ok: false };

const answerSchema = z.object({
  Status: z.int(),
  TC: z.boolean().optional(),
  Answer: z
    .array(z.object({ name: z.string(), type: z.int(), TTL: z.number().nonnegative(), data: z.string() }))
    .nullish(),
});

const noError = 0;
const noSuchName = 3;

/** A name in the form in which names are compared. */
export function dnsName(text: string): string {
  return text.toLowerCase().replace(/\.$/, "");
}

/** Bounds of a response: a record has five values. */
const bounds = { values: 10_000, depth: 8 };
const longestAnswer = 64 * 1024;

/** Reads a response body. A truncated, failed or invalid response is not `ok`. */
export function readDnsAnswer(text: string): DnsAnswer {
  if (text.length > longestAnswer) return { ok: false };
  const parsed = answerSchema.safeParse(parseBoundedOrNull(text, bounds));
  if (!parsed.success || parsed.data.TC === true) return { ok: false };
  const { Status, Answer } = parsed.data;
  if (Status !== noError && Status !== noSuchName) return { ok: false };
  const records = (Answer ?? []).map(({ name, type, TTL, data }) => ({
    name: dnsName(name),
    type,
    ttl: TTL,
    data: type === recordTypes.CNAME ? dnsName(data) : data,
  }));
  return { ok: true, records };
}

/** The name at the end of the aliases among the records, starting at `name`; null if the aliases form a circle. */
export function endOfAliases(records: readonly DnsRecord[], name: string): string | null {
  const seen = new Set<string>();
  for (let at = dnsName(name); ;) {
    if (seen.has(at)) return null;
    seen.add(at);
    const alias = records.find((record) => record.type === recordTypes.CNAME && record.name === at);
    if (alias === undefined) return at;
    at = alias.data;
  }
}
