// Keeps the spans of an object in memory and sends them to the collector in batches. Invariants: adding a span never waits and never
// throws; at most one request is open; the memory for spans is bounded, and dropped spans are counted in a log line. Nothing is stored and
// no alarm is set, so spans in memory are lost if the object is evicted or crashes. No timer outlives a request, so the object can hibernate.

import type { Log } from "#lib/log-port.ts";
import { TimeLimitError } from "#lib/time-limit.ts";
import { platformTimers } from "#lib/timers.ts";
import type { TraceSettings } from "#lib/trace-settings.ts";

import { exportBody, rejectedSpans, spanJson, type Span } from "./otlp.ts";

/** The maximum number of UTF-16 units of all spans in memory. */
const longestQueue = 4 * 1024 * 1024;
/** The maximum number of characters of a collector's answer that are read. */
const longestAnswer = 4096;

/** Statuses after which the same spans are sent again (OTLP/HTTP, failures). */
const retryable = new Set([429, 502, 503, 504]);

/** The dependencies of an exporter. */
export interface ExporterOptions {
  settings: TraceSettings;
  threadId: string;
  /** The deployment's version. */
  version: string | null;
  fetch: typeof globalThis.fetch;
  log: Log;
  /** Runs work in the background. */
  background: (work: Promise<unknown>) => void;
}

/** The outcome of a request. `kept`: the spans may be sent again. */
type Outcome =
  | { type: "sent"; rejected: number }
  | { type: "kept"; reason: string }
  | { type: "refused"; reason: string };

/** The spans of one object. */
export class SpanExporter {
  readonly #options: ExporterOptions;
  #queue: string[] = [];
  #size = 0;
  #dropped = 0;
  #sending = false;
  #flushing = false;
  /** The last request failed. Full batches wait for the next flush. */
  #failed = false;
  /** A flush was requested while a request was open: if that request fails, it is repeated once. */
  #again = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  /** Adds a span. A full batch is sent at once. */
  add(span: Span): void {
    const text = spanJson(span);
    const { queueSize, batchSize } = this.#options.settings;
    if (this.#queue.length >= queueSize || this.#size + text.length > longestQueue) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(text);
    this.#size += text.length;
    if (this.#queue.length >= batchSize && !this.#failed) this.#send();
  }

  /** Sends all spans, in the background. */
  flush(): void {
    this.#flushing = true;
    this.#failed = false;
    this.#again = this.#sending;
    this.#send();
  }

  #send(): void {
    if (this.#sending || this.#queue.length === 0) return;
    this.#sending = true;
    this.#options.background(this.#sendBatches());
  }

  async #sendBatches(): Promise<void> {
    const { batchSize } = this.#options.settings;
    try {
      while (this.#queue.length >= batchSize || (this.#flushing && this.#queue.length > 0)) {
        const batch = this.#queue.splice(0, batchSize);
        const size = batch.reduce((sum, { length }) => sum + length, 0);
        this.#size -= size;
        const outcome = await this.#request(batch);
        if (outcome.type === "kept") {
          this.#failed = !this.#again;
          this.#keep(batch, size);
          this.#report("trace_export_failed", { reason: outcome.reason, spans_waiting: this.#queue.length });
          if (this.#failed) break;
          this.#again = false;
          continue;
        }
        this.#dropped += outcome.type === "refused" ? batch.length : outcome.rejected;
        if (outcome.type === "refused") this.#report("trace_export_failed", { reason: outcome.reason });
        this.#reportDropped();
      }
    } finally {
      this.#sending = false;
      this.#flushing = false;
      this.#reportDropped();
    }
  }

  /** Puts a batch back to the head of the queue. Spans for which there is no room are dropped. */
  #keep(batch: readonly string[], size: number): void {
    const hasRoom = this.#queue.length + batch.length <= this.#options.settings.queueSize;
    if (!hasRoom || this.#size + size > longestQueue) {
      this.#dropped += batch.length;
      return;
    }
    this.#queue.unshift(...batch);
    this.#size += size;
  }

  async #request(batch: readonly string[]): Promise<Outcome> {
    const { settings, version, fetch } = this.#options;
    const abort = new AbortController();
    // `AbortSignal.timeout` has a timer that cannot be cancelled, and a pending timer keeps the object from hibernation.
    const disarm = platformTimers.after(settings.timeoutMs, () => abort.abort(new TimeLimitError(settings.timeoutMs)));
    try {
      const response = await fetch(settings.url, {
        method: "POST",
        headers: { ...settings.headers, "content-type": "application/json" },
        body: exportBody(batch, { resource: settings.resource, version }),
        // A redirect would send the headers, which may contain a key, to another address.
        redirect: "manual",
        signal: abort.signal,
      });
      // The status alone decides whether the spans are sent again. A body that fails must not make the collector receive them twice.
      if (response.ok) return { type: "sent", rejected: rejectedSpans(await startOf(response), batch.length) };
      response.body?.cancel().catch(() => undefined);
      return { type: retryable.has(response.status) ? "kept" : "refused", reason: `status ${response.status}` };
    } catch (thrown) {
      return { type: "kept", reason: thrown instanceof Error ? thrown.name : "unknown" };
    } finally {
      disarm();
    }
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    this.#report("trace_spans_dropped", { spans: this.#dropped });
    this.#dropped = 0;
  }

  #report(event: string, fields: Record<string, unknown>): void {
    this.#options.log("warning", event, { thread_id: this.#options.threadId, ...fields });
  }
}

/** The start of a response's body; empty if the body fails. The rest is cancelled. Never rejects. */
async function startOf(response: Response): Promise<string> {
  if (response.body === null) return "";
  let text = "";
  try {
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.length > longestAnswer) break;
    }
  } catch {
    return "";
  }
  return text.length > longestAnswer ? "" : text;
}
