// The requests of conversations that exceed the window of their model.

import type { TestRequest } from "#spec/index.ts";

import { windowedRequests, windowedScripts } from "../worker/compacted.ts";
import { withoutFilterHook } from "./cost-table.ts";

/** The text of a message with about this many tokens. `at` makes the text unique. */
export const words = (at: number, tokens = 60): string => `talk ${at} ${"word ".repeat((tokens * 4) / 5)}`;

/** Estimated tokens of a request. */
export function tokensOf({ system, messages }: TestRequest): number {
  const images = messages.flatMap(({ attachments = [] }) => attachments);
  const bytes = JSON.stringify(messages.map(({ content, tool_calls }) => [content, tool_calls])).length + system.length;
  return bytes / 4 + images.reduce((sum, { size }) => sum + Math.max(85, size / 750), 0);
}

/** Whether a request begins with all messages of the one before it, in the same bytes. */
export function continues(before: TestRequest, request: TestRequest): boolean {
  const bytes = ({ system, tools, messages }: TestRequest) => JSON.stringify([system, tools, ...messages]).slice(0, -1);
  return bytes(request).startsWith(bytes(before));
}

/** Removes the scripts and requests of earlier tests. */
export function clearWindowed(): void {
  withoutFilterHook();
  windowedRequests.length = 0;
  windowedScripts.clear();
}
