// Requests a short text from a model in addition to the steps of a run, such as the summary of a conversation. One attempt, no events.

import type { Usage } from "#contract/usage.ts";

import type { ModelFailure, ModelRequest } from "../ports/model-port.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import { costOf } from "./cost.ts";
import { cutUsage, finishedUsage } from "./counted-usage.ts";
import { silenceLimits, watched } from "./watchdog.ts";

/** The text of an answer, and what it cost. */
export interface RequestedText {
  text: string;
  usage: Usage;
  cost: number | null;
  /** Null if the answer is complete. */
  failure: Pick<ModelFailure, "kind" | "message"> | null;
  /** The id of the entry in the log of an AI Gateway. Absent: the response has none. */
  gateway_log_id?: string;
  /** Milliseconds. */
  latency: number;
}

/** The maximum number of UTF-16 units of a text. A longer one ends there, and its request is cancelled. */
const longestText = 64 * 1024;

/** Requests the text. Contract: never rejects. */
export async function requestText(
  request: ModelRequest,
  ports: Pick<RunPorts, "models" | "clock" | "faults">,
  signal: AbortSignal,
): Promise<RequestedText> {
  const { model } = request;
  const begun = ports.clock.now();
  let text = "";
  let logged: Pick<RequestedText, "gateway_log_id"> = {};
  let result: (Pick<RequestedText, "usage" | "failure"> & { reported: number | null }) | null = null;
  const limits = silenceLimits(model.timeouts ?? {}, ports.models.thinksInSilence?.(model) ?? false);
  const note = ports.models.definitionNote?.(model);
  // The share of the request's caller is for one request.
  const single: ModelRequest = { ...request, continues: () => false };
  const open = (inner: AbortSignal, received: () => void) => ports.models.stream(single, inner, received);
  await ports.faults.at("text.request");
  for await (const part of watched(open, { signal, limits, note }, ports)) {
    await ports.faults.at("text.part");
    if (part.type === "text_delta") text += part.delta;
    if ((part.type === "finish" || part.type === "error") && part.gateway_log_id !== undefined)
      logged = { gateway_log_id: part.gateway_log_id };
    if (part.type === "finish") {
      const { usage } = finishedUsage(request, part.usage, [text]);
      result = { usage, failure: null, reported: part.reported_cost };
    } else if (part.type === "error") {
      const { usage } = cutUsage(request, part.usage ?? null, text === "" ? [] : [text]);
      result = { usage, failure: part.failure, reported: null };
    }
    if (text.length > longestText) {
      text = text.slice(0, longestText);
      result = { usage: cutUsage(request, null, [text]).usage, failure: null, reported: null };
      break;
    }
  }
  const latency = (ports.clock.now() - begun) / 1000;
  const { usage, failure, reported } = result ?? {
    usage: cutUsage(request, null, [text]).usage,
    failure: cut,
    reported: null,
  };
  return { text: text.trim(), usage, cost: costOf(model, usage, reported), failure, latency, ...logged };
}

const cut = { kind: "network", message: "The model's answer ended before it was finished." } as const;
