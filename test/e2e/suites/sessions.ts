// Sessions over a real server: the client of the agent API rework plan (docs/reference/agent-api.md), and one conversation over every
// transport.

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { foldAll } from "#contract/fold.ts";
import { agentEventSchema, executeCompleteSchema } from "#contract/session/agent-event.ts";
import type { SessionMessage } from "#contract/session/session-message.ts";
import { sessionViewSchema } from "#contract/session/session-view.ts";

import type { ApiClient } from "../../support/http-client/api-client.ts";
import type { RecordedSubscription } from "../../support/http-client/feed.ts";
import { settledMessages, transcript } from "../../support/http-client/transcript.ts";
import type { Line } from "../../support/http-client/transcript.ts";
import { execute, executeOnServer, readSession, textOf } from "../../support/session-client/session-client.ts";
import type { Executed, Send } from "../../support/session-client/session-client.ts";
import type { SuiteServer } from "./suite-server.ts";

const agent = "session_every_way";
const conversation = ["What is a thread?", "Thank you", "And what is a run?"];
const said = (content: string) => ({ role: "user", content });
const pendingSchema = z.object({ pending_tool_calls: z.array(z.object({ id: z.string() })) });

/** Answers the calls that a thread waits for, always with the same results. */
async function answerCalls(api: ApiClient, id: string): Promise<void> {
  const { pending_tool_calls: open } = await api.ask(pendingSchema, "GET", `/api/threads/${id}`);
  const results = open.map((call) => ({ tool_call_id: call.id, result: "asked" }));
  await api.call("POST", `/api/threads/${id}/tool-results`, { json: { results } });
}

async function overWait(api: ApiClient, id: string): Promise<Line[]> {
  for (const line of conversation) {
    const { run } = await api.say(id, line);
    if (run.status !== "awaiting_tool_execution") continue;
    const feed = await api.events(id);
    await answerCalls(api, id);
    await feed.until("run_end", ({ run_id }) => run_id === run.id);
    feed.close();
  }
  return transcript(await api.messages(id));
}

async function overPostedEvents(api: ApiClient, id: string): Promise<Line[]> {
  const events = [];
  for (const line of conversation) {
    const feed = await api.sayForEvents(id, line);
    await feed.untilEnd();
    events.push(...feed.events);
    if (feed.ofType("awaiting_tool_execution").length === 0) continue;
    const rest = await api.events(id, `after=${String(feed.lastSeq)}`);
    await answerCalls(api, id);
    await rest.until("run_end");
    events.push(...rest.events);
    rest.close();
  }
  return transcript(settledMessages(foldAll(events).messages));
}

async function overFollowing(api: ApiClient, id: string, way: "events" | "socket"): Promise<Line[]> {
  const feed: RecordedSubscription = await api[way](id);
  for (const line of conversation) {
    const { run } = await api.post(id, line);
    const own = ({ run_id }: { run_id?: string | undefined }): boolean => run_id === run.id;
    if (line.includes("?")) {
      await feed.until("awaiting_tool_execution", own);
      await answerCalls(api, id);
    }
    await feed.until("run_end", own);
  }
  const { messages } = feed.view();
  feed.close();
  return transcript(settledMessages(messages));
}

async function overSession(send: Send, id: string): Promise<Line[]> {
  const messages: SessionMessage[] = [];
  const keep = ({ events }: Executed): void => {
    const end = events.at(-1);
    if (end?.type === "session_end") messages.push(...end.messages);
  };
  for (const line of conversation) {
    const first = await execute(send, { sessionId: id, input: said(line), context: { agent } });
    keep(first);
    const calls = first.complete?.pendingToolCalls ?? [];
    if (calls.length === 0) continue;
    const input = calls.map((call) => ({ role: "toolResult", toolCallId: call.id, content: "asked" }));
    keep(await execute(send, { sessionId: id, input }));
  }
  expect((await readSession(send, id))?.messages).toEqual(messages);
  return messages.map(lineOf);
}

/** A session's message as a line of a transcript. */
function lineOf(message: SessionMessage): Line {
  const bare = { content: null, thinking: "", calls: [], answers: null };
  switch (message.role) {
    case "user":
      return { ...bare, role: "user", content: typeof message.content === "string" ? message.content : "parts" };
    case "toolResult":
      return { ...bare, role: "tool", content: message.content, answers: message.toolName };
    case "assistant": {
      const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      return {
        role: "assistant",
        content: text === "" ? null : text,
        thinking: message.content.map((part) => (part.type === "thinking" ? part.thinking : "")).join(""),
        calls: message.content.flatMap((part) =>
          part.type === "toolCall" ? [{ name: part.name, arguments: part.arguments }] : [],
        ),
        answers: null,
      };
    }
    default:
      throw new Error(`A message of the role ${message.role}`);
  }
}

export function sessions(use: () => SuiteServer): void {
  const send: Send = (path, init) => fetch(`${use().api.url}${path}`, init);

  describe("sessions", () => {
    it("SESSION25 The client code of the agent API rework plan sends messages, makes the calls that it receives, and receives its answer", async () => {
      const made: string[] = [];
      const calculate = {
        name: "calculate",
        label: "Calculate",
        parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
        execute: ({ arguments: args }: { arguments: unknown }) => {
          made.push(JSON.stringify(args));
          return "42";
        },
      };
      const { sessionId, rounds } = await executeOnServer(send, {
        input: said("What is 6 times 7?"),
        tools: [calculate],
        options: { model: "session_model" },
      });
      expect(made).toEqual(['{"query":"What is 6 times 7?"}']);
      expect(rounds.map(({ complete }) => complete?.status)).toEqual(["awaiting_tool_execution", "completed"]);
      expect(textOf(rounds[1]?.events ?? [])).toBe("So it is 42.");
      for (const { events, complete } of rounds) {
        for (const event of events) expect(agentEventSchema.parse(event)).toEqual(event);
        expect(executeCompleteSchema.parse(complete)).toEqual(complete);
      }
      const view = await readSession(send, sessionId);
      expect(sessionViewSchema.parse(view)).toEqual(view);
      expect(view).toMatchObject({ id: sessionId, status: "completed", model: "session_model", totalCost: 0 });
      expect(view?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
      expect((await use().api.thread(sessionId)).agent_id).toBe("session");
    });

    it("SESSION25 A tool of the server streams its output to the client code of the agent API rework plan", async () => {
      const { events } = await execute(send, { input: said("What is a step?"), context: { agent } });
      const toolEvents = events.filter((event) => event.type.startsWith("tool_execution"));
      const streamed = toolEvents
        .filter((event) => "delta" in event)
        .map((event) => ("delta" in event ? event.delta : ""));
      expect(streamed.join("")).toBe("Searching for: What is a step?");
      const ends = toolEvents.flatMap((event) => (event.type === "tool_execution_end" ? [event] : []));
      expect(ends.map(({ output }) => output).toSorted()).toEqual([
        "local What is a step?",
        "streamed What is a step?",
      ]);
      expect(ends.find(({ output }) => output.startsWith("streamed"))?.details).toEqual({ resultCount: 10 });
    });

    it("SESSION26 One conversation has the same content over wait, posted events, SSE, WebSocket and the session endpoint", async () => {
      const { api } = use();
      const ids = await Promise.all(Array.from({ length: 4 }, async () => (await api.createThread(agent)).id));
      const [first = "", second = "", third = "", fourth = ""] = ids;
      const fifth = `every-way:${crypto.randomUUID()}`;
      const transcripts = await Promise.all([
        overWait(api, first),
        overPostedEvents(api, second),
        overFollowing(api, third, "events"),
        overFollowing(api, fourth, "socket"),
        overSession(send, fifth),
      ]);
      expect(transcripts[0]).toHaveLength(14);
      for (const lines of transcripts) expect(lines).toEqual(transcripts[0]);
      for (const id of ids) expect(transcript(await api.messages(id))).toEqual(transcripts[0]);
    });
  });
}
