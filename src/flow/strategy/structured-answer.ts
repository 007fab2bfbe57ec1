// The structure of a run's answer: the JSON Schema that a prompt (`definePrompt({ structure })`) or a request (`POST …/messages`) asks for,
// and the check of an answer against it. An answer that does not match is requested once more with the reason; then the run ends with an
// error.

import { refuse } from "#contract/error.ts";
import { jsonSchema } from "#contract/json.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { Side } from "#contract/thread-message.ts";
import type { AnswerStructure } from "#core/ports/model-port.ts";
import type { StepOutcome } from "#core/ports/strategy-port.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { callsOf, isBlank } from "#core/record/run-state.ts";
import { isInScope, isModelAnswer } from "#core/record/scope.ts";
import type { Scope } from "#core/record/scope.ts";
import { isResponse } from "#core/strategy/turn-strategy.ts";
import type { TurnDecision, TurnNext, TurnStrategy } from "#core/strategy/turn-strategy.ts";
import { checkArguments } from "#core/tools/check-arguments.ts";
import { jsonBytes } from "#lib/cut-text.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import type { AnyAgentDefinition, AnyPromptDefinition } from "#spec/index.ts";

import { clientSchema } from "../setup/client-schema.ts";
import type { Definitions } from "../setup/project-definitions.ts";
import { sideOf } from "./conversation-strategy.ts";
import { isEndedByAnswer } from "./turn-end.ts";

/** The maximum number of bytes of JSON of an answer's data. The run's row holds the data and the answer's text. */
const longestData = 256 * 1024;

/** The code and the reason of a run whose answer does not match its structure. */
const invalidStructure = "structured_output_invalid";

/** The data of an answer, or the reason why there is none. */
type CheckedAnswer = { ok: true; data: Json } | { ok: false; problem: string; isFinal: boolean };

/** The structure of an answer and its check. */
export interface AnswerForm {
  structure: AnswerStructure;
  /** Contract: never throws. */
  check: (answer: Pick<StepOutcome, "data" | "text" | "stop_reason">) => CheckedAnswer;
}

/** The name under which providers show the structure to a model. */
const name = "answer";

/** The forms of prompts by their zod schema, because the conversion to JSON Schema takes longer than the rest of a step. */
const formsOfPrompts = new WeakMap<object, AnswerForm>();

/** The form of a prompt's answers; null for a prompt without a structure. */
export function formOfPrompt({ structure: schema }: AnyPromptDefinition): AnswerForm | null {
  if (schema === undefined) return null;
  const known = formsOfPrompts.get(schema);
  if (known !== undefined) return known;
  const structure = { name, schema: argumentsJsonSchema(schema) as JsonObject };
  const check: AnswerForm["check"] = (answer) => checkedAnswer(answer, (data) => checkArguments(schema, data));
  const form = { structure, check };
  formsOfPrompts.set(schema, form);
  return form;
}

/** The form of a run's answers by the JSON Schema of its request. `problem` is the reason why the schema cannot be used. */
export function formOfSchema(given: JsonObject): AnswerForm | { problem: string } {
  const schema = clientSchema(given);
  if ("problem" in schema) return schema;
  const structure = { name, schema: schema.parameters };
  return { structure, check: (answer) => checkedAnswer(answer, (data) => schema.check(data as JsonObject)) };
}

function checkedAnswer(
  { data, text, stop_reason }: Pick<StepOutcome, "data" | "text" | "stop_reason">,
  matches: (data: Json) => ReturnType<typeof checkArguments>,
): CheckedAnswer {
  if (stop_reason === "length") return wrong("The answer was cut at its limit of tokens (maxTokens).", true);
  if (stop_reason === "content_filter") return wrong("The provider blocked the answer.", true);
  if (data === undefined) return wrong(`The answer is not JSON: ${quoted(text ?? "")}`);
  const checked = matches(data);
  if (!checked.ok && checked.isTooMuch === true) return wrong(`The answer cannot be checked. ${checked.problem}`, true);
  if (!checked.ok) return wrong(`The answer does not match its schema: ${checked.problem}`);
  const json = jsonSchema.safeParse(checked.args);
  if (!json.success) return wrong("The schema converts the answer to a value that JSON does not have.", true);
  if (jsonBytes(json.data) > longestData) return wrong(`The answer has more than ${longestData} bytes of data.`, true);
  return { ok: true, data: json.data };
}

/** `isFinal`: another answer would fail in the same way. */
function wrong(problem: string, isFinal = false): CheckedAnswer {
  return { ok: false, problem, isFinal };
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

/** How many answers in a row may fail to match. */
const mostAttempts = 2;

/**
 * What follows a response that does not match its form: another attempt, or the error of the run. Null if the response matches. `attempts`
 * counts the consecutive answers without calls at the end of the loop's messages.
 */
export function afterMismatch(
  { check }: AnswerForm,
  response: StepOutcome,
  attempts: () => number,
): Extract<TurnNext, { type: "step" | "failed" }> | null {
  const checked = check(response);
  if (checked.ok) return null;
  const { problem, isFinal } = checked;
  if (isFinal || attempts() >= mostAttempts) return { type: "failed", reason: invalidStructure, message: problem };
  const text = `${problem}\nAnswer again, with JSON that matches the schema and with nothing else.`;
  return { type: "step", shape: { instruction: { text, keep: false } } };
}

/** A turn's strategy that ends a turn by an answer only if the answer matches its form. */
export function structuredTurns(inner: TurnStrategy, form: AnswerForm, attempts: () => number): TurnStrategy {
  return {
    name: inner.name,
    async next(last, state): Promise<TurnDecision> {
      const decision = await inner.next(last, state);
      const { next } = decision;
      if (last === null || next.type !== "end" || !isResponse(last) || !isEndedByAnswer(next)) return decision;
      const mismatch = afterMismatch(form, last, attempts);
      return mismatch === null ? decision : { next: mismatch, ...(state === null ? {} : { state }) };
    },
  };
}

/** Returns the form of a side's answers; null for free text. */
export type FormOfSide = (agent: AnyAgentDefinition, side: Side) => Promise<AnswerForm | null>;

/**
 * Makes the function that returns the form of a run's answers: by the schema `asked` of the run's request, or by the prompt of the side.
 * The answers of an agent with two sides have no form, because they are messages to the other side.
 */
export function answerForms(definitions: Pick<Definitions, "prompt">, asked: JsonObject | undefined): FormOfSide {
  const given = asked === undefined ? null : formOfSchema(asked);
  return async (agent, side) => {
    if (agent.type === "dual_ai") return null;
    if (given === null) return formOfPrompt(await definitions.prompt(sideOf(agent, side).prompt));
    if (!("problem" in given)) return given;
    throw refuse("invalid_request", `The structure of this run cannot be used: its schema ${given.problem}.`);
  };
}

/**
 * The number of consecutive answers without calls at the end of a scope's messages. A call, a steering message and a strategy's
 * instruction begin a new count, so that each has its own second attempt. Other messages do not: a hook may add one after each answer.
 */
export function answersWithoutCalls(messages: readonly MessageRecord[], scope: Scope): number {
  const scoped = messages.filter((message) => isInScope(scope, message));
  const before = scoped.findLastIndex(
    (message) =>
      message.role === "tool" ||
      message.steered === true ||
      callsOf(message).length > 0 ||
      (message.strategy !== undefined && !isModelAnswer(message)),
  );
  return scoped.slice(before + 1).filter((message) => isModelAnswer(message) && !isBlank(message)).length;
}
