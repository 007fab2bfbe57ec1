// What carries events to a client: a socket or a stream of server-sent events. Each is opened once, tells what it
// hears, and is over at its first `lost` or `refused`.

import { isPassing, ThreadholdClientError } from "../client-error.ts";
import type { Requests } from "../request.ts";
import type { Stream } from "./stream.ts";

/** What to follow. */
export interface Target {
  requests: Requests;
  stream: Stream;
  /** Number of the last event that is known; null for none, which is answered with a snapshot. */
  after: number | null;
  /** Events of silent messages, too. */
  silent?: boolean | undefined;
}

/** Something that was told: an event of the stream that is followed. */
export interface Told {
  type: string;
  seq: number;
}

/** Who is told. Nothing is told any more once the carrier was closed. */
export interface Sink {
  opened(): void;
  event(told: Told): void;
  /** It broke; another try may succeed, not before `delayMs`. */
  lost(error: Error, delayMs: number): void;
  /** Another try would be refused too. */
  refused(error: Error): void;
  /** The server ended a stream that has an end (`until` of its query). */
  ended?(): void;
}

/** An open carrier, or one that opens. */
export interface Carrying {
  close(): void;
  /** Finds out now whether the other side is still there, as far as this kind of carrier can. */
  check(): void;
}

/** Opens one. */
export type OpenCarrier = (target: Target, sink: Sink) => Carrying;

/** Milliseconds that an opening may take. */
export const openTimeoutMs = 15_000;

/** Tells a sink what an error means. */
export function tellError(sink: Sink, thrown: unknown): void {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const delayMs = error instanceof ThreadholdClientError ? (error.retryAfterMs ?? 0) : 0;
  if (isPassing(error) || (error instanceof ThreadholdClientError && hasFailed(error))) sink.lost(error, delayMs);
  else sink.refused(error);
}

/** A server, or what stands before it, that failed once need not fail again. */
function hasFailed({ code, status }: ThreadholdClientError): boolean {
  return code === "internal" || (code === "unexpected_answer" && status >= 500);
}

/** An event of the wire; null for what is none. */
export function readEvent(text: string): Told | null {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || !("seq" in value) || typeof value.seq !== "number") return null;
  return value as Told;
}
