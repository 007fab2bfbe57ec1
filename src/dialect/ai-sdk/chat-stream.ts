// The response that streams a run's chunks: `data:` lines of JSON, and `[DONE]` at the end, as the `ai` package reads
// them.

import type { ThreadEvent } from "#contract/event.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import { sseHeaders, sseResponse } from "#http/bridge/sse-response.ts";
import type { SseFormat } from "#http/bridge/sse-response.ts";
import { Subscription } from "#http/bridge/thread-subscription.ts";
import type { SubscriptionQuery } from "#http/bridge/thread-subscription.ts";
import type { Services } from "#http/services.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import { UiStream } from "./ui-stream.ts";
import type { StreamedRun, UiChunk } from "./ui-stream.ts";

const headers = { "x-vercel-ai-ui-message-stream": "v1" };

/** A run to follow. */
export interface FollowedRun extends StreamedRun {
  request: Request;
  caller: Caller;
  /** Number of the event before the first one to show. */
  after: number;
}

/** Streams the run until it ends or waits. A client that disconnects does not stop the run. */
export async function followRun({ dependencies, ports }: Services, run: FollowedRun): Promise<Response> {
  const { request, caller, threadId, runId, after, passedSeq } = run;
  // Only depth 0: of a nested loop, the client sees only the result of the tool call that started it.
  const query: SubscriptionQuery = { after: String(after), depth: "0", include_silent: "false" };
  // A subscription to a run ends when the run first waits for a client. In a resumed stream, which begins with the run's first event, that
  // wait may be over, so the subscription lasts until the thread is idle.
  const end: SubscriptionQuery = passedSeq === undefined ? { run_id: runId } : { until: "idle" };
  const { threads } = dependencies;
  const subscription = await Subscription.open({ threads, threadId, caller, query: { ...query, ...end } }, ports);
  const stream = new UiStream(run);
  return sseResponse(subscription, {
    ports,
    signal: request.signal,
    isLast: () => stream.isOver,
    format: formatOf(stream),
    headers,
  });
}

/** The response for a run that still waits for other calls. */
export function waitingRun(run: StreamedRun): Response {
  const stream = new UiStream(run);
  const text = written(stream, [...stream.begin(), ...stream.rest()]);
  return new Response(text, { headers: { ...sseHeaders, ...headers } });
}

function formatOf(stream: UiStream): SseFormat {
  return {
    opening: written(stream, stream.begin()),
    frame: ({ json }) => written(stream, stream.take(parseOwnJson(json) as ThreadEvent)),
    refusal: ({ message }) => written(stream, stream.fail(message)),
  };
}

function written({ isOver }: UiStream, chunks: readonly UiChunk[]): string {
  const lines = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
  return isOver ? `${lines}data: [DONE]\n\n` : lines;
}
