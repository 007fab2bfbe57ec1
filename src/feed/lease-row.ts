// Reads and writes all leases of an owner as the text of one row.

import { z } from "zod";

import type { LeaseHolder } from "#core/lease.ts";

/** An open stream. Times are microseconds since epoch. */
export interface OpenStream {
  holder: LeaseHolder;
  /** After this it counts only when its holder confirms it. */
  until: number;
}

/** A thread with a run at work, or with an input that is about to start one. */
export interface RunLease {
  /** The thread reported a run at work; the report counts until this time. 0 if there is no report. */
  until: number;
  /** Leases of inputs that the thread has not admitted yet, each with the time at which it expires. */
  admitting: Map<string, number>;
}

/** Streams by the ids of their leases, and threads by their ids. */
export interface LeaseState {
  streams: Map<string, OpenStream>;
  runs: Map<string, RunLease>;
}

/** The most leases of each kind that the row holds. Older ones are in memory only, so that the row stays below 1 MiB. */
const mostKept = 2000;

const holderSchema = z.union([z.strictObject({ thread: z.string() }), z.strictObject({ feed: z.string().nullable() })]);
const rowSchema = z.object({
  streams: z.array(z.tuple([z.string(), holderSchema, z.number()])),
  runs: z.array(z.tuple([z.string(), z.number(), z.array(z.tuple([z.string(), z.number()]))])),
});

/** The leases of a row; none if there is no row. Throws for a row that this code did not write. */
export function readLeaseRow(text: string | undefined): LeaseState {
  if (text === undefined) return { streams: new Map(), runs: new Map() };
  const { streams, runs } = rowSchema.parse(JSON.parse(text));
  return {
    streams: new Map(streams.map(([id, holder, until]) => [id, { holder, until }])),
    runs: new Map(runs.map(([thread, until, admitting]) => [thread, { until, admitting: new Map(admitting) }])),
  };
}

/** The text of the row. */
export function writeLeaseRow({ streams, runs }: LeaseState): string {
  const row: z.input<typeof rowSchema> = {
    streams: [...streams].slice(-mostKept).map(([id, { holder, until }]) => [id, holder, until]),
    runs: [...runs].slice(-mostKept).map(([thread, { until, admitting }]) => [thread, until, [...admitting]]),
  };
  return JSON.stringify(row);
}
