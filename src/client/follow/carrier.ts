// The interface of a carrier: a WebSocket or a stream of server-sent events that delivers events to the client. A carrier opens once,
// passes its events to a sink, and is finished after it first calls `lost`, `refused` or `ended`.

import { isTransient, ThreadholdClientError } from "../client-error.ts";
import type { Requests } from "../send-request.ts";
import type { Stream } from "./stream.ts";

/** The stream to open and the event to continue after. */
export interface Target {
  requests: Requests;
  stream: Stream;
  /** Number of the last event that the client has. With null, the server begins with a snapshot. */
  after: number | null;
  /** Whether to include events of silent messages. */
  silent?: boolean | undefined;
}

/** A parsed event of a stream. */
export interface StreamEvent {
  type: string;
  seq: number;
}

/** Receives what a carrier delivers. After the carrier's `close` none of these functions is called. */
export interface CarrierSink {
  opened(): void;
  event(received: StreamEvent): void;
  /** The connection failed. The next attempt may succeed, and starts after `delayMs` at the earliest. */
  lost(error: Error, delayMs: number): void;
  /** The server refused the connection and would refuse another attempt too. */
  refused(error: Error): void;
  /** The server ended a stream that has an end (`until` in its query). */
  ended?(): void;
}

/** A carrier that is open or opening. */
export interface OpenedCarrier {
  close(): void;
  /** Checks now whether the connection still works, if this kind of carrier can. */
  check(): void;
}

/** Opens a carrier. */
export type OpenCarrier = (target: Target, sink: CarrierSink) => OpenedCarrier;

/** Milliseconds until an attempt to open is given up. */
export const openTimeoutMs = 15_000;

/** Reports an error to a sink: as `lost` if another attempt may succeed, else as `refused`. */
export function reportError(sink: CarrierSink, thrown: unknown): void {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const delayMs = error instanceof ThreadholdClientError ? (error.retryAfterMs ?? 0) : 0;
  if (isTransient(error) || (error instanceof ThreadholdClientError && isServerFailure(error)))
    sink.lost(error, delayMs);
  else sink.refused(error);
}

/** Whether the server or a proxy failed with an error that may be temporary. */
function isServerFailure({ code, status }: ThreadholdClientError): boolean {
  return code === "internal" || (code === "unexpected_answer" && status >= 500);
}

/** Parses an event; null if the JSON is not an event. Throws if the text is not JSON. */
export function readEvent(text: string): StreamEvent | null {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || !("seq" in value) || typeof value.seq !== "number") return null;
  return value as StreamEvent;
}
