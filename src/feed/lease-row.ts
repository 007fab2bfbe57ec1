// Reads and writes all leases of an owner as the text of one row (a lease counts an open stream or a running thread).

import { z } from "zod";

import type { LeaseHolder } from "#core/rpc/lease.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

/** An open stream. Times are microseconds since the epoch. */
export interface OpenStream {
  holder: LeaseHolder;
  /** After this time the lease counts only if its holder confirms it. */
  until: number;
}

/** A thread with a running run, or with an input that is about to start one. */
export interface RunLease {
  /** The thread reported a run as running; the report counts until this time. 0 without a report. */
  until: number;
  /** Leases of inputs that the thread has not admitted yet, each with the time at which it expires. */
  admitting: Map<string, number>;
}

/** Streams by lease id, and threads by thread id. */
export interface LeaseState {
  streams: Map<string, OpenStream>;
  runs: Map<string, RunLease>;
}

/** The maximum number of leases of each kind in the row. Older ones are in memory only, so that the row stays below 1 MiB. */
const maxRowLeases = 2000;

const holderSchema = z.union([z.strictObject({ thread: z.string() }), z.strictObject({ feed: z.string().nullable() })]);
const rowSchema = z.object({
  streams: z.array(z.tuple([z.string(), holderSchema, z.number()])),
  runs: z.array(z.tuple([z.string(), z.number(), z.array(z.tuple([z.string(), z.number()]))])),
});

/** Parses the leases of a row; none if there is no row. Throws if the row does not have the expected form. */
export function readLeaseRow(text: string | undefined): LeaseState {
  if (text === undefined) return { streams: new Map(), runs: new Map() };
  const { streams, runs } = rowSchema.parse(parseOwnJson(text));
  return {
    streams: new Map(streams.map(([id, holder, until]) => [id, { holder, until }])),
    runs: new Map(runs.map(([thread, until, admitting]) => [thread, { until, admitting: new Map(admitting) }])),
  };
}

/** Returns the text of the row. */
export function writeLeaseRow({ streams, runs }: LeaseState): string {
  const row: z.input<typeof rowSchema> = {
    streams: [...streams].slice(-maxRowLeases).map(([id, { holder, until }]) => [id, holder, until]),
    runs: [...runs].slice(-maxRowLeases).map(([thread, { until, admitting }]) => [thread, until, [...admitting]]),
  };
  return JSON.stringify(row);
}
