// The plays of the public implementation of phi-core that concern its documents (plays/README.md): scripted answers, expected events and
// messages. A play that is left out has its reason in its entry, and a play whose result differs has the decision.

import { describe, expect, it } from "vitest";

import type { AgentEvent, AgentMessage } from "#facade/phi/index.ts";

import { problemsOf } from "./support/event-grammar.ts";
import { allEntriesOf, entriesOf, eventName, PlayRun, written } from "./support/play-file.ts";
import type { PlayEntry } from "./support/play-file.ts";

/* oxlint-disable typescript/no-explicit-any -- the notation of plays has no types; a wrong member makes the play fail */
type Any = any;

/** A text, or a pattern for it. */
function expectText(actual: string, expected: Any, ids: Record<string, string> = {}): void {
  const filled = (text: string) => written(text).replaceAll("{session_id}", ids["session_id"] ?? "");
  if (typeof expected === "string") {
    expect(actual).toBe(filled(expected));
    return;
  }
  const { contains, startsWith, endsWith } = expected;
  if (contains !== undefined) for (const text of [contains].flat()) expect(actual).toContain(filled(text));
  if (startsWith !== undefined) expect(actual.startsWith(filled(startsWith)), actual).toBe(true);
  if (endsWith !== undefined) expect(actual.endsWith(filled(endsWith)), actual).toBe(true);
}

function expectMessages(actual: readonly AgentMessage[], expected: Any[]): void {
  expect(actual.map(({ role }) => role)).toEqual(expected.map(({ role }) => role));
  expected.forEach((one, at) => expectMessage(actual[at] as Any, one));
}

function expectMessage(actual: Any, expected: Any): void {
  const texts = (actual.content ?? []).flatMap((block: Any) => (block.type === "text" ? [block.text] : []));
  for (const [name, value] of Object.entries<Any>(expected)) {
    if (name === "text") expectText(texts.join("\n"), value);
    else if (name === "texts") expect(texts).toEqual(value.map(written));
    else if (name === "textLines") expect(texts.join("\n").split("\n")).toEqual(value);
    else if (name === "toolCalls") {
      const calls = actual.content.filter((block: Any) => block.type === "toolCall");
      expect(calls.map(({ name: called, arguments: args }: Any) => ({ name: called, arguments: args }))).toEqual(
        value.map(({ name: called, arguments: args }: Any) => ({ name: called, arguments: args })),
      );
    } else if (name === "error_message") expectText(actual.error_message, value);
    else expect(actual[name], name).toEqual(value);
  }
}

const shown = (events: readonly AgentEvent[]): string[] => {
  const names: string[] = [];
  for (const event of events) {
    const name = eventName(event);
    if (name !== null && !(name.startsWith("MessageUpdate") && names.at(-1) === name)) names.push(name);
  }
  return names;
};

/** Compares everything that a play expects. A member that no branch knows fails. */
function expectPlay(run: PlayRun, entry: PlayEntry): void {
  const { expect: expected } = entry;
  const start = run.allEvents.findLast(({ type }) => type === "AgentStart") as Any;
  const ids = { session_id: run.agent?.sessionId ?? run.context?.session_id ?? "" };
  if (run.thrown !== null && expected.throws === undefined) throw run.thrown;
  for (const [name, value] of Object.entries<Any>(expected)) {
    switch (name) {
      case "events":
        expect(shown(run.events)).toEqual(value);
        break;
      case "contains":
        for (const list of value) {
          let at = -1;
          for (const event of list) {
            at = shown(run.events).indexOf(event, at + 1);
            expect(at, event).not.toBe(-1);
          }
        }
        break;
      case "count":
        for (const [key, count] of Object.entries(value))
          expect(
            shown(run.events).filter((event) => event === key || event.startsWith(`${key} `)),
            key,
          ).toHaveLength(count as number);
        break;
      case "triggers":
        expect(run.events.flatMap((event) => (event.type === "TurnStart" ? [event.triggered_by] : []))).toEqual(value);
        break;
      case "messages":
        expectMessages(run.messages, value);
        break;
      case "messagesAtMost":
        expect(run.messages.length).toBeLessThanOrEqual(value);
        break;
      case "contextMessages":
        expectMessages(run.context?.messages ?? [], value);
        break;
      case "agentStart":
        for (const [key, want] of Object.entries<Any>(value)) {
          if (want === "$new") expect(start[key]).toMatch(/./);
          else expect(start[key], key).toEqual(want);
        }
        break;
      case "contextIds":
        for (const [key, want] of Object.entries<Any>(value)) {
          expect((run.context as Any)[key], key).toEqual(want === "$started" ? start[key] : want);
        }
        break;
      case "sameIds": {
        const starts = run.allEvents.filter(({ type }) => type === "AgentStart");
        for (const key of value) expect(new Set(starts.map((one: Any) => one[key])).size, key).toBe(1);
        break;
      }
      case "requests":
        expect(run.providers.flatMap(({ requests }) => requests)).toHaveLength(value);
        break;
      case "sent":
        run.providers
          .flatMap(({ requests }) => requests)
          .forEach(({ messages }, at) => expectMessages(messages, value[at]));
        break;
      case "sentTools":
        expect(
          run.providers.flatMap(({ requests }) => requests.map(({ tools }) => tools.map(({ name: tool }) => tool))),
        ).toEqual(value);
        break;
      case "usage":
        expect((run.events.at(-1) as Any).usage).toEqual(value);
        break;
      case "turnUsage":
        expect(run.events.flatMap((event) => (event.type === "TurnEnd" ? [event.usage] : []))).toEqual(value);
        break;
      case "rejection":
        expect((run.events.at(-1) as Any).rejection).toEqual(value);
        break;
      case "rejectedReasons":
        expect(run.events.flatMap((event) => (event.type === "InputRejected" ? [event.reason] : []))).toEqual(value);
        break;
      case "deltas": {
        const joined: Record<string, string> = {};
        for (const event of run.events) {
          if (event.type !== "MessageUpdate") continue;
          for (const [kind, { delta }] of Object.entries(event.delta)) joined[kind] = (joined[kind] ?? "") + delta;
        }
        expect(joined).toEqual(value);
        break;
      }
      case "updates":
      case "progress": {
        const texts: Record<string, string[]> = {};
        for (const event of run.events) {
          if (event.type === "ProgressMessage" && name === "progress") (texts[event.tool_name] ??= []).push(event.text);
          if (event.type !== "ToolExecutionUpdate" || name !== "updates") continue;
          const [block] = event.partial_result.content;
          (texts[event.tool_name] ??= []).push(block?.type === "text" ? block.text : "");
        }
        expect(texts).toEqual(value);
        break;
      }
      case "hookArguments":
        for (const [hook, calls] of Object.entries<Any>(value)) {
          const actual = run.hookArguments[hook] ?? [];
          expect(actual, hook).toHaveLength(calls.length);
          calls.forEach((call: Any, at: number) => {
            if (call.text !== undefined) expectText(actual[at].text, call.text);
            else expect(actual[at]).toMatchObject(call);
          });
        }
        break;
      case "compactions":
        expect(run.compactions).toBeGreaterThanOrEqual(value.atLeast);
        break;
      case "throws":
        expectText(run.thrown?.message ?? "nothing was thrown", value);
        break;
      case "isStreaming":
        expect(run.agent?.isStreaming).toBe(value);
        break;
      case "queues": {
        const texts = (list: readonly AgentMessage[] = []) => list.map((message: Any) => message.content[0].text);
        expect({ steering: texts(run.agent?.steeringQueue), follow_up: texts(run.agent?.followUpQueue) }).toEqual(
          value,
        );
        break;
      }
      case "fields":
        for (const [path, want] of Object.entries<Any>(value)) {
          const [first = "", ...rest] = path.split(".");
          const camel = first.replaceAll(/_(.)/g, (_all, letter: string) => letter.toUpperCase());
          expect(
            [camel, ...rest].reduce((object: Any, key) => object[key], run.agent),
            path,
          ).toEqual(want);
        }
        break;
      case "toolNames":
        expect(run.agent?.tools.map((tool) => tool.name())).toEqual(value);
        break;
      case "loopIds":
        expect(run.loopIds).toHaveLength(value.length);
        value.forEach((one: Any, at: number) => expectText(run.loopIds[at] ?? "", one, ids));
        break;
      case "loopIdsDiffer":
        expect(new Set(run.loopIds).size).toBe(run.loopIds.length);
        break;
      case "messagesEqualSaved":
        expect(run.agent?.messages).toEqual(JSON.parse(run.saved ?? "null"));
        break;
      case "neverPrinted":
        for (const text of value) expect(run.printed()).not.toContain(text);
        break;
      case "returned":
        expect(run.returned.map((one) => (one === null ? null : "$new session_id"))).toEqual(value);
        break;
      case "sessionIds":
        value.forEach((want: string, at: number) => {
          const known = run.sessionIds.slice(0, at);
          if (want === "$new") expect(known).not.toContain(run.sessionIds[at]);
          else expect(run.sessionIds[at]).toBe(want === "$first" ? run.sessionIds[0] : known.at(-1));
        });
        break;
      default:
        expect({ [name]: (run as Any)[name] }).toEqual({ [name]: value });
    }
  }
  if (expected.contextMessages === undefined && run.context !== null && run.thrown === null)
    expect(run.context.messages).toEqual([...run.before, ...run.messages]);
  if (run.events.length > 0) expect(problemsOf(run.events)).toEqual([]);
}

describe.each(["agent-loop", "agent"])("the plays of %s", (file) => {
  it.each(entriesOf(file).map((entry) => [entry.id, entry] as const))(
    "The play %s has the events and messages that its entry expects",
    async (_id, entry) => {
      const run = new PlayRun();
      await (entry.kind === "agent" ? run.agentPlay(entry) : run.loop(entry));
      expectPlay(run, entry);
    },
  );
});

it.each(["agent-loop", "agent", "compaction", "parallel", "serialization", "session", "sub-agent"])(
  "Each play of %s has an id of its own, a source, and a requirement or the reason for which it is left out",
  (file) => {
    const entries = allEntriesOf(file);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    for (const { id, source, leftOut, requirements } of entries) {
      expect(source, id).toMatch(/^(?:src|tests)\/[\w/]+\.rs: \w+$/);
      expect(leftOut ?? requirements[0], id).toMatch(/./);
    }
  },
);
