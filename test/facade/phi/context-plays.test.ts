// The plays of the public implementation of phi-core about compaction, tokens, limits and JSON (plays/README.md).

import { describe, expect, it } from "vitest";

import { shortenLines } from "#core/context/projection.ts";
import { level1TruncateToolOutputs } from "#facade/phi/context/compact-messages.ts";
import { totalTokens } from "#facade/phi/context/token-counter.ts";
import {
  compactMessages,
  ContextTracker,
  estimateTokens,
  ExecutionTracker,
  messagesFromJson,
} from "#facade/phi/index.ts";
import type { AgentMessage } from "#facade/phi/index.ts";

import { entriesOf, messagesOf } from "./support/play-file.ts";

/* oxlint-disable typescript/no-explicit-any -- the notation of plays has no types; a wrong member makes the play fail */
type Any = any;

const textIn = (message: Any): string => message.content.map(({ text = "" }: Any) => text).join("\n");

function expectTexts(actual: readonly AgentMessage[], expected: Any[]): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach(({ text, textLines, ...fields }, at) => {
    expect(actual[at]).toMatchObject(fields);
    if (typeof text === "string") expect(textIn(actual[at])).toBe(text);
    if (typeof text?.startsWith === "string") expect(textIn(actual[at]).startsWith(text.startsWith)).toBe(true);
    if (textLines !== undefined) expect(textIn(actual[at]).split("\n")).toEqual(textLines);
  });
}

const kinds: Record<string, (given: Any, expected: Any) => void> = {
  tokens({ texts }, { tokens }) {
    expect(texts.map((text: string) => estimateTokens(text))).toEqual(tokens);
  },
  truncate({ lines: { prefix, count }, maxLines }, { lines }) {
    const text = Array.from({ length: count }, (_none, at) => `${prefix}${at + 1}`).join("\n");
    expect(shortenLines(text, maxLines).split("\n")).toEqual(lines);
  },
  compact({ messages: given, config, level }, expected) {
    const messages = messagesOf(given);
    const before = structuredClone(messages);
    const result =
      level === 1
        ? level1TruncateToolOutputs(messages, config.tool_output_max_lines)
        : compactMessages(messages, config);
    expect(messages).toEqual(before);
    if (expected.messages !== undefined) expectTexts(result, expected.messages);
    if (expected.last !== undefined) expectTexts(result.slice(-expected.last.length), expected.last);
    if (expected.tokensAtMost !== undefined) expect(totalTokens(result)).toBeLessThanOrEqual(expected.tokensAtMost);
    if (expected.messagesAtMost !== undefined) expect(result.length).toBeLessThanOrEqual(expected.messagesAtMost);
    if (expected.messagesAtLeast !== undefined) expect(result.length).toBeGreaterThanOrEqual(expected.messagesAtLeast);
    if (expected.markers === undefined) return;
    const texts = new Set(messages.map(textIn));
    const markers = result.filter((message) => !texts.has(textIn(message)));
    expect(markers.length).toBeGreaterThanOrEqual(expected.markers.atLeast);
    for (const marker of markers) {
      expect(marker.role).toBe(expected.markers.role);
      expect(textIn(marker)).toContain(expected.markers.contains);
    }
  },
  tracker({ messages: given, steps }, { tokens }) {
    const tracker = new ContextTracker();
    tracker.track(messagesOf(given));
    expect(steps.every(({ do: name }: Any) => name === "recordUsage" || name === "reset")).toBe(true);
    expect(tracker.currentTokens()).toBe(tokens);
  },
  limits({ limits, steps }, { checks, turns, tokens_used }) {
    const tracker = new ExecutionTracker(limits);
    const found: (string | null)[] = [];
    for (const { do: name, tokens } of steps) {
      if (name === "check") found.push(tracker.checkLimits());
      else tracker.recordTurn(tokens);
    }
    expect(found).toEqual(checks);
    expect([tracker.turns, tracker.tokens_used]).toEqual([turns, tokens_used]);
  },
  json({ type, value }, { json }) {
    const lists: Record<string, () => unknown> = {
      message: () => messagesFromJson(JSON.stringify([value]))[0],
      messages: () => messagesFromJson(JSON.stringify(value)),
      contents: () =>
        (messagesFromJson(JSON.stringify(messagesOf([{ role: "assistant", content: value }])))[0] as Any).content,
      execution_limits: () => new ExecutionTracker(value).limits,
      tool_execution: () => value,
    };
    expect(JSON.parse(JSON.stringify(lists[type]?.()))).toEqual(json);
  },
};

describe.each(["compaction", "serialization"])("the plays of %s", (file) => {
  it.each(entriesOf(file).map((entry) => [entry.id, entry] as const))(
    "The play %s has the result that its entry expects",
    (_id, entry) => {
      const run = kinds[entry.kind];
      if (run === undefined) throw new Error(`The play has the unknown kind ${entry.kind}.`);
      run(entry.given, entry.expect);
    },
  );
});
