// Checks the input of a session by the same schemas as the session endpoints.

import type { z } from "zod";

import { refuse } from "#contract/error.ts";
import { contextMessageSchema, toolResultInputSchema, userInputSchema } from "#contract/session/execute-request.ts";
import type { ContextMessage, ToolResultInput, UserInput } from "#contract/session/execute-request.ts";
import { parseCounted, ZodBoundError } from "#lib/counted-zod.ts";

/** The input of an execution. */
export type Input = { message: UserInput } | { results: ToolResultInput[] };

/** Reads the input of `execute`. Throws `invalid_request`. */
export function readInput(input: unknown): Input {
  if (!Array.isArray(input)) {
    const message = read(userInputSchema, input, "input");
    if (typeof message.content !== "string") for (const part of message.content) refuseFile(part);
    return { message };
  }
  if (input.length === 0) throw refuse("invalid_request", "The list of tool results is empty.");
  return { results: input.map((result, index) => read(toolResultInputSchema, result, `input.${index}`)) };
}

/** Reads the messages of an earlier conversation. Throws `invalid_request`. */
export function readMessages(messages: readonly unknown[]): ContextMessage[] {
  return messages.map((message, index) => read(contextMessageSchema, message, `messages.${index}`));
}

function read<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const parsed = parseWithin(schema, value, place);
  if (parsed.success) return parsed.data as T;
  const problems = parsed.error.issues
    .slice(0, 10)
    .map(({ path, message }) => `${[place, ...path.map(String)].join(".")}: ${message}`);
  throw refuse("invalid_request", problems.join("; "));
}

function refuseFile(part: Exclude<UserInput["content"], string>[number]): void {
  if (part.type !== "file" || isAddress(part.path)) return;
  throw refuse(
    "invalid_request",
    `A session in process has no files, so there is none at "${part.path}". Send images as data, texts as text.`,
  );
}

/** Whether the path of a file is a URL. */
export function isAddress(path: string): boolean {
  return /^https?:/i.test(path) && URL.canParse(path);
}

function parseWithin<S extends z.ZodType>(schema: S, value: unknown, place: string): ReturnType<S["safeParse"]> {
  try {
    return parseCounted(schema, value);
  } catch (thrown) {
    if (!(thrown instanceof ZodBoundError)) throw thrown;
    throw refuse("too_large", `${place}: ${thrown.message}`);
  }
}
