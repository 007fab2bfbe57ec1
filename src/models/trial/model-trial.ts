// Tries a model with one small request: a text, a call of a tool, or a picture. Contract: a trial ends within its time limit and never rejects,
// and no key is part of its texts.

import { costOf } from "#core/model/cost.ts";
import type { ModelFailure, ModelPort, ModelRequest } from "#core/ports/model-port.ts";
import { secretsOf } from "#lib/deployment-secrets.ts";
import { followAbort } from "#lib/follow-abort.ts";
import { systemClock } from "#lib/system-clock.ts";
import { TimeLimitError, withinTime } from "#lib/time-limit.ts";
import { isVisible } from "#lib/visible-text.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { placeVariables } from "../provider-settings.ts";
import { providerFile } from "../readiness.ts";

/** What a trial asks a model for, in the order of the trials. */
export const trialKinds = ["text", "tool", "picture"] as const;
export type TrialKind = (typeof trialKinds)[number];

/** The result of a trial. */
export interface Trial {
  kind: TrialKind;
  ok: boolean;
  /** What the model answered, or why it did not. */
  detail: string;
  /** What to do if the trial failed. */
  fix: string | null;
  duration_ms: number;
  /** Tokens of the prompt and of the answer; null without an answer. */
  tokens: { input: number; output: number } | null;
  /** USD; null if it is not known. */
  cost: number | null;
}

/** A definition and its file. */
interface NamedModel {
  file: string;
  value: AnyModelDefinition;
}

/** The values of the variables that no text may contain. */
export function secretValues(variables: Readonly<Record<string, unknown>>): string[] {
  return secretsOf(
    variables,
    Object.keys(variables).filter((name) => !isPlainAddress(variables[name])),
  );
}

/** Whether a value is an address without a password and a query, which findings may name. */
function isPlainAddress(value: unknown): boolean {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { username, password, search } = new URL(value);
  return `${username}${password}${search}` === "";
}

/** What to do about a model that does not answer, or after a failure of its request. */
export function fixOf({ file, value }: NamedModel, failure?: ModelFailure): string {
  const { model } = value;
  const provider = value.preset ?? value.provider;
  const addresses = placeVariables(value).join(", ");
  const own = providerFile(value);
  const address = own === undefined ? `baseUrl in ${file}` : `the address in ${own}`;
  const reach = `check ${address}${addresses === "" ? "" : `, or the variables ${addresses}`}, and that the server runs`;
  if (failure === undefined) return reach;
  const { kind, status } = failure;
  if (kind === "auth") return "put a valid key into .dev.vars, and into the secrets of the Worker";
  if (kind === "network" || kind === "timeout") return reach;
  if (kind === "rate_limited") return `check the limits and the credit of your account at ${provider}, and try again`;
  return status === 404 || status === 400
    ? `check model in ${file}: does ${provider} have "${model}", and may your key use it?`
    : own === undefined
      ? `check ${file} by the text of ${provider}`
      : `check ${own} by the text of the failure`;
}

/** The longest answer, which is enough for a model that thinks first. */
const maxTokens = 1024;

/** A red square of 32 by 32 pixels. */
const redSquare =
  "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJ0lEQVR42u3NsQkAAAjAsP7/tF7hIASyp6lTCQQCgUAgEAgEgi/BAjLD/C5w/SM9AAAAAElFTkSuQmCC";

const weather = {
  name: "get_weather",
  description: "Returns the weather in a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

const questions: Record<TrialKind, string> = {
  text: "Answer with the word OK.",
  tool: "What is the weather in Paris? Call the tool get_weather.",
  picture: "Which colour is the picture? Answer with one word in English.",
};

/** The request of a trial. */
export function smallRequest(model: AnyModelDefinition, kind: TrialKind): ModelRequest {
  const text = { type: "text" as const, text: questions[kind] };
  const picture = { type: "image" as const, mime_type: "image/png", data: redSquare };
  return {
    model,
    system: "",
    messages: [
      {
        id: null,
        role: "user",
        parts: kind === "picture" ? [text, picture] : [text],
        name: null,
        tool_call_id: null,
        result: null,
      },
    ],
    tools: kind === "tool" ? [weather] : [],
    toolChoice: kind === "tool" ? "auto" : "none",
    parallelToolCalls: false,
    reasoning: null,
    temperature: null,
    maxTokens,
    raw: false,
  };
}

interface TrialContext {
  port: ModelPort;
  limitMs: number;
  redact: (text: string) => string;
  /** Ends the request. */
  signal?: AbortSignal | undefined;
}

/** Sends one request and reads the answer. */
export async function tryModel(
  definition: NamedModel,
  kind: TrialKind,
  { port, limitMs, redact, signal = new AbortController().signal }: TrialContext,
): Promise<Trial> {
  const begun = performance.now();
  const { controller: control, release } = followAbort(signal);
  const bounds = { timers: systemClock, milliseconds: limitMs };
  const failed = (detail: string, fix: string): Partial<Trial> => ({ ok: false, detail, fix });
  const result = await withinTime(answerOf(definition, kind, { port, redact, signal: control.signal }), bounds).catch(
    (thrown: unknown) =>
      thrown instanceof TimeLimitError
        ? failed(`It did not answer within ${String(limitMs / 1000)} s.`, fixOf(definition))
        : failed(thrown instanceof Error ? thrown.message : String(thrown), fixOf(definition)),
  );
  release();
  control.abort();
  const trial: Trial = { kind, ok: false, detail: "", fix: null, duration_ms: 0, tokens: null, cost: null, ...result };
  const fix = trial.fix === null ? null : redact(trial.fix);
  return { ...trial, detail: redact(trial.detail), fix, duration_ms: Math.round(performance.now() - begun) };
}

async function answerOf(
  definition: NamedModel,
  kind: TrialKind,
  { port, redact, signal }: Pick<TrialContext, "port" | "redact"> & { signal: AbortSignal },
): Promise<Partial<Trial>> {
  const { value } = definition;
  let [text, call] = ["", ""];
  for await (const part of port.stream(smallRequest(value, kind), signal)) {
    if (part.type === "text_delta") text += part.delta;
    if (part.type === "toolcall_end") call = part.name;
    if (part.type === "error") return { ok: false, detail: part.failure.message, fix: fixOf(definition, part.failure) };
    if (part.type !== "finish") continue;
    const tokens = { input: part.usage.input, output: part.usage.output };
    const cost = costOf(value, part.usage, part.reported_cost);
    // The text is cut later, and a part of a key is not recognised.
    return { tokens, cost, ...judge(kind, { text: redact(text.trim()), call, file: definition.file }) };
  }
  // The port ends each stream with one of these parts.
  return { ok: false, detail: "It sent no answer.", fix: fixOf(definition) };
}

function judge(
  kind: TrialKind,
  { text, call, file }: { text: string; call: string; file: string },
): Pick<Trial, "ok" | "detail" | "fix"> {
  const shown = text === "" ? "nothing" : `"${text.slice(0, 60).toWellFormed()}"`;
  if (kind === "text")
    return isVisible(text)
      ? { ok: true, detail: "It answered.", fix: null }
      : {
          ok: false,
          detail: "Its answer has no text.",
          fix: `check model in ${file}: is it a model for conversations?`,
        };
  if (kind === "tool")
    return call === weather.name
      ? { ok: true, detail: "It called the tool.", fix: null }
      : {
          ok: false,
          detail: `It called no tool and answered ${shown}.`,
          fix: `if the model has no tools, write capabilities: { functionCalling: false } in ${file}`,
        };
  return /\bred\b/i.test(text)
    ? { ok: true, detail: "It saw the picture.", fix: null }
    : {
        ok: false,
        detail: `It did not name the colour of the picture and answered ${shown}.`,
        fix: `if the model sees no pictures, write capabilities: { vision: false } in ${file}`,
      };
}
