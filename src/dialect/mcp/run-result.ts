// The result of a call of a tool: how the run has ended, or what it waits for, as text for a model and as structured content.

import { z } from "zod";

import type { ThreadholdError } from "#contract/error.ts";
import { isFinished } from "#contract/finished.ts";
import { runErrorSchema, runStatusSchema } from "#contract/run.ts";
import type { Run } from "#contract/run.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import { threadToolNames } from "#spec/thread-tool-names.ts";

import type { OpenCall } from "./client-questions.ts";

const runResultSchema = z.object({
  thread_id: z.string().describe("The conversation with the agent. The other tools of this server take it."),
  run_id: z.string().nullable().describe("Null if the result is about no run."),
  status: runStatusSchema.nullable(),
  answer: z.string().nullable().describe("The agent's answer as text."),
  data: z.unknown().optional().describe("The agent's answer as data, if it has a structure."),
  error: runErrorSchema.optional(),
  waiting: z
    .array(
      z.object({
        call_id: z.string(),
        kind: z.enum(["remote", "approval", "limit", "question"]),
        name: z.string(),
        arguments: z.unknown().optional(),
      }),
    )
    .optional()
    .describe(`The calls that the agent waits for. The tool ${threadToolNames.answer} answers them.`),
});
type RunResult = z.infer<typeof runResultSchema>;

/** The JSON Schema of the structured content of every tool. */
export const outputSchema = argumentsJsonSchema(runResultSchema);

/** The result of a call of a tool, in the terms of MCP. */
export interface CallResult {
  content: { type: "text"; text: string }[];
  structuredContent?: RunResult;
  isError: boolean;
}

/** The result of a run that has ended or waits. `waiting`: the calls that it waits for. */
export function runResult(threadId: string, run: Run, waiting: readonly OpenCall[] = []): CallResult {
  const { id, status, data, error } = run;
  const open = isFinished(status) ? [] : waiting;
  const structuredContent: RunResult = {
    thread_id: threadId,
    run_id: id,
    status,
    answer: answerOf(run),
    ...(data === undefined ? {} : { data }),
    ...(error === null ? {} : { error }),
    ...(open.length === 0 ? {} : { waiting: open.map(waitingCall) }),
  };
  const texts = [...textsOf(run, open), `The thread_id of this conversation is ${threadId}.`];
  const isError = status === "error" || status === "stopped" || status === "limit";
  return { content: texts.map((text) => ({ type: "text", text })), structuredContent, isError };
}

/** A result about a thread and no run of it. */
export function threadResult(threadId: string, text: string): CallResult {
  const structuredContent: RunResult = { thread_id: threadId, run_id: null, status: null, answer: null };
  return { content: [{ type: "text", text }], structuredContent, isError: false };
}

/** The result of a call that the API refused. */
export function refusedResult({ refusal: { code, message } }: Pick<ThreadholdError, "refusal">): CallResult {
  return errorResult(`${code}: ${message}`);
}

/** The result of a call that failed before it had a run. */
export function errorResult(text: string): CallResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** The outcome of a conversation of two sides takes precedence over the text, as for a tool call inside of a thread. */
function answerOf({ outcome, text }: Run): string | null {
  if (outcome === null) return text;
  return typeof outcome === "string" ? outcome : JSON.stringify(outcome);
}

function textsOf(run: Run, waiting: readonly OpenCall[]): string[] {
  const { status, error, reason, data } = run;
  const answer = answerOf(run) ?? (data === undefined ? null : JSON.stringify(data));
  const answers = answer === null ? [] : [answer];
  switch (status) {
    case "completed":
      return answer === null ? ["The agent ended without an answer."] : answers;
    case "error":
      return [...answers, `The agent failed: ${error?.message ?? "no reason is known"}`];
    case "stopped":
      return [...answers, "The agent was stopped before it was done."];
    case "limit":
      return [...answers, `The agent reached a limit before it was done: ${reason ?? "no reason is known"}.`];
    case "awaiting_tool_execution":
      return [waitingText(waiting)];
    case "queued":
    case "running":
      if (waiting.length > 0) return [waitingText(waiting)];
      return [`The agent has not finished. The tool ${threadToolNames.result} waits for it.`];
  }
}

function waitingText(waiting: readonly OpenCall[]): string {
  return `The agent waits. Answer with the tool ${threadToolNames.answer}: ${JSON.stringify(waiting.map(waitingCall))}`;
}

function waitingCall(call: OpenCall): NonNullable<RunResult["waiting"]>[number] {
  const { id, kind, name } = call;
  return { call_id: id, kind, name, ...(call.arguments === undefined ? {} : { arguments: call.arguments }) };
}
