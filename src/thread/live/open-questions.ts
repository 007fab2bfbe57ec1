// The open questions of a thread in memory, and the last answers. A question is answered by the request that posts results of calls. The
// same answer may be posted twice, because a client repeats a request after a network failure.

import { refuse } from "#contract/error.ts";
import { isJsonObject } from "#contract/json.ts";
import type { JsonObject } from "#contract/json.ts";
import type { PostedResult } from "#contract/tool-route.ts";
import type { QuestionAnswer } from "#core/ports/question-port.ts";
import type { ClientSchema } from "#flow/setup/client-schema.ts";
import { canonicalJson } from "#lib/canonical-json.ts";
import { jsonBytes } from "#lib/cut-text.ts";

/** The maximum number of bytes of JSON of an answer, and the number of answers that are kept to recognise a repeated request. */
const answerBytes = 64 * 1024;
const mostAnswered = 20;

/** A question that waits for its answer. */
export interface OpenQuestion {
  id: string;
  runId: string;
  check: ClientSchema["check"];
  end: (answer: QuestionAnswer) => void;
}

/** A checked answer. `text` is equal for equal answers. */
export interface ReadAnswer {
  id: string;
  answer: QuestionAnswer;
  text: string;
}

/** The open questions of a thread in memory, and the last answers. */
export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>();
  readonly #answered = new Map<string, { runId: string; text: string }>();

  get size(): number {
    return this.#open.size;
  }

  add(question: OpenQuestion): void {
    this.#open.set(question.id, question);
  }

  /** Removes a question. Returns false if it is not open. */
  remove(id: string): boolean {
    return this.#open.delete(id);
  }

  /** Whether a question with this id is open, or is among the last answered ones. */
  knows(id: string): boolean {
    return this.#open.has(id) || this.#answered.has(id);
  }

  /** The id of the run whose call asked a question; undefined for an unknown question. */
  runOf(id: string): string | undefined {
    return this.#open.get(id)?.runId ?? this.#answered.get(id)?.runId;
  }

  /**
   * Reads the answers to questions in a request for the run `runId`. Refuses an invalid one, and one that differs from an earlier answer.
   */
  read(results: readonly PostedResult[], runId: string | undefined): ReadAnswer[] {
    const read = new Map<string, ReadAnswer>();
    for (const [at, posted] of results.entries()) {
      const { tool_call_id: id, ...content } = posted;
      if (!this.knows(id)) continue;
      if (runId !== undefined && this.runOf(id) !== runId) {
        throw refuse("conflict", `The question "${id}" is none of the run "${runId}".`);
      }
      const text = canonicalJson(content as JsonObject);
      const known = read.get(id)?.text ?? this.#answered.get(id)?.text;
      if (known !== undefined && known !== text) {
        throw refuse("conflict", `The question "${id}" was answered already, and with another answer.`);
      }
      const open = this.#open.get(id);
      if (open !== undefined) read.set(id, { id, text, answer: readAnswer(posted, at, open) });
    }
    return [...read.values()];
  }

  /** Passes the answers to the calls that asked. Returns the ids of the questions that have ended meanwhile. */
  answer(answers: readonly ReadAnswer[]): string[] {
    return answers.flatMap(({ id, answer, text }) => {
      const open = this.#open.get(id);
      if (open === undefined) return [id];
      this.#answered.set(id, { runId: open.runId, text });
      const [oldest] = this.#answered.keys();
      if (this.#answered.size > mostAnswered && oldest !== undefined) this.#answered.delete(oldest);
      open.end(answer);
      return [];
    });
  }
}

function readAnswer(
  { approved, error, result, content, details, tool_call_id: id }: PostedResult,
  at: number,
  { check }: OpenQuestion,
): QuestionAnswer {
  const wrong = (field: string, message: string) =>
    refuse("invalid_request", message, { field: `results.${at}.${field}` });
  if (details !== undefined) throw wrong("details", `The answer to the question "${id}" cannot have \`details\`.`);
  if (approved === false) return { action: "decline" };
  if (error !== undefined) return { action: "cancel" };
  if (content !== undefined || approved === true || result === undefined || !isJsonObject(result)) {
    const message =
      `"${id}" is a question: send \`result\` with an object that fits its schema, \`approved: false\` to decline it, ` +
      "or `error` to dismiss it.";
    throw refuse("invalid_request", message, { field: `results.${at}` });
  }
  if (jsonBytes(result) > answerBytes) {
    const message = `The answer to the question "${id}" has more than ${answerBytes} bytes.`;
    throw refuse("too_large", message, { field: `results.${at}.result`, limit: answerBytes });
  }
  const checked = check(result);
  if (checked.ok) return { action: "accept", content: result };
  throw wrong("result", `The answer to the question "${id}" does not fit its schema. ${checked.problem}`);
}
