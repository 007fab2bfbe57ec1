// All leases of an owner as the text of one row.

import { z } from "zod";

import type { LeaseHolder } from "#core/lease.ts";

/** An open stream. Times are microseconds since epoch. */
export interface OpenStream {
  holder: LeaseHolder;
  /** After this it counts only when its holder confirms it. */
  until: number;
}

/** A thread that is at work, or is about to be. */
export interface RunLease {
  /** The thread said that it is at work; 0 when it did not. */
  until: number;
  /** Leases of inputs on their way to the thread, each with the time at which it lapses. */
  admitting: Map<string, number>;
}

/** Leases by their ids, and threads by theirs. */
export interface LeaseState {
  streams: Map<string, OpenStream>;
  runs: Map<string, RunLease>;
}

/** Leases of each kind that the row holds, the newest; the rest is in memory only. The row stays below 1 MiB. */
const mostKept = 2000;

const holderSchema = z.union([z.strictObject({ thread: z.string() }), z.strictObject({ feed: z.string().nullable() })]);
const rowSchema = z.object({
  streams: z.array(z.tuple([z.string(), holderSchema, z.number()])),
  runs: z.array(z.tuple([z.string(), z.number(), z.array(z.tuple([z.string(), z.number()]))])),
});

/** The leases of a row. Of a missing row there are none. Throws for a row that this code did not write. */
export function readLeaseRow(text: string | undefined): LeaseState {
  if (text === undefined) return { streams: new Map(), runs: new Map() };
  const { streams, runs } = rowSchema.parse(JSON.parse(text));
  return {
    streams: new Map(streams.map(([id, holder, until]) => [id, { holder, until }])),
    runs: new Map(runs.map(([thread, until, admitting]) => [thread, { until, admitting: new Map(admitting) }])),
  };
}

/** The row. */
export function writeLeaseRow({ streams, runs }: LeaseState): string {
  const row: z.input<typeof rowSchema> = {
    streams: [...streams].slice(-mostKept).map(([id, { holder, until }]) => [id, holder, until]),
    runs: [...runs].slice(-mostKept).map(([thread, { until, admitting }]) => [thread, until, [...admitting]]),
  };
  return JSON.stringify(row);
}
