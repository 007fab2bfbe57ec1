// The answers of a scripted model, and the requests that it received.

import type { TestError, TestRequest, TestTurn } from "#spec/index.ts";

/** One answer of a model: reasoning, text, tool calls or an error. */
export interface Answer extends TestTurn {
  /** The answer does not end until the test calls `release`, `restart` or `stop`. */
  held?: true;
}

/** A request that a model received. */
export interface RecordedRequest extends TestRequest {
  /** The thread that sent it: the tested thread or a child thread. */
  thread_id: string;
  /** Name of the prompt. */
  prompt: string;
  /** Name of the model. A fallback receives a request of its own. */
  model: string;
}

/** Answers in order, one for each request, or a function that computes each answer from its request. */
export type AnswerList = readonly Answer[] | ((request: RecordedRequest) => Answer | Promise<Answer>);

/** Answers for all models of a thread, or for each prompt by its name. */
export type Answers = AnswerList | Readonly<Record<string, AnswerList>>;

/** An answer with this text. A list is streamed piece by piece. */
export function text(content: string | string[]): Answer {
  return { text: content };
}

/** An answer that calls a tool. For several calls, write `{ toolCalls: [{ name, arguments }, …] }`. */
export function toolCall(name: string, args: Record<string, unknown> = {}): Answer {
  return { toolCalls: [{ name, arguments: args }] };
}

/**
 * A request that fails. Failures with `kind: "network"`, or with a status such as 429 or 503, are retried, at once and not after a delay.
 */
export function failure(error: TestError): Answer {
  return { error };
}

/** An answer that streams its parts and does not end until the test calls `release`, `restart` or `stop`. */
export function hold(answer: Answer = {}): Answer {
  return { ...answer, held: true };
}
