// Sessions whose objects die or move: no event is repeated, and nothing is lost.

import { describe, expect, it } from "vitest";

import { execute, readEvents, readSession, textOf } from "../support/session-client/session-client.ts";
import type { ExecutionEvent } from "../support/session-client/session-client.ts";
import { exported, imported, linesOf, replaced, sealed } from "../thread/archive-client.ts";
import { crash } from "../thread/thread-driver.ts";
import { scripts } from "../worker/definitions.ts";
import { anna } from "./support/session-app.ts";

const options = { model: "scripted" };
const said = (content: string) => ({ role: "user", content });
const far = { name: "far", parameters: { type: "object", properties: { q: { type: "string" } } } };
const asks = () =>
  scripts.set("asks", ({ step, tools, system }) =>
    step === 0
      ? { toolCalls: [{ name: "far", arguments: { q: "x" } }] }
      : { text: `${system} ${tools.map(({ name }) => name).join()}` },
  );

describe("a session", () => {
  it("SESSION23 If the object of a session crashes during an answer, the text so far ends as aborted, and the answer is generated again", async () => {
    let requested = 0;
    scripts.set("cut", () => {
      requested += 1;
      return requested === 1 ? { text: Array.from({ length: 5000 }, () => "lost "), delayMs: 20 } : { text: "whole" };
    });
    const body = JSON.stringify({ input: said("cut"), context: {}, options });
    const headers = { "content-type": "application/json" };
    const response = await anna("/api/agent/execute", { method: "POST", body, headers });
    const id = response.headers.get("x-session-id") ?? "";
    const events: ExecutionEvent[] = [];
    const spoke = Promise.withResolvers<void>();
    const reading = readEvents(response, (event) => {
      events.push(event);
      if (event.type === "text_delta") spoke.resolve();
    });
    await spoke.promise;
    await crash(id);
    await reading;
    const ends = events.flatMap((event) => (event.type === "message_end" ? [event.message] : []));
    const lost = textOf(events).replace(/whole$/, "");
    expect(ends).toMatchObject([
      said("cut"),
      { role: "aborted", partial: { content: [{ type: "text", text: lost }] } },
      { role: "assistant", content: [{ type: "text", text: "whole" }] },
    ]);
    expect(events.at(-2)).toMatchObject({ type: "session_end", messages: [said("cut"), { role: "assistant" }] });
    expect(events.at(-1)).toEqual({ type: "execute_complete", status: "completed" });
    expect((await readSession(anna, id))?.messages).toHaveLength(2);
  });

  it("SESSION23 A waiting session keeps its tools, its prompt and its open calls after a crash of its object", async () => {
    asks();
    const context = { tools: [far], systemPrompt: "Be kind." };
    const { sessionId, complete } = await execute(anna, { input: said("asks"), context, options });
    await crash(sessionId);
    const [call] = complete?.pendingToolCalls ?? [];
    const input = [{ role: "toolResult", toolCallId: call?.id, content: "x!" }];
    expect(textOf((await execute(anna, { sessionId, input })).events)).toBe("Be kind. far");
  });

  it("SESSION24 A session is exported with its thread and imported with its settings", async () => {
    asks();
    const context = { tools: [far], systemPrompt: "Be kind." };
    const { sessionId } = await execute(anna, { input: said("Hello"), context, options });
    await replaced(sessionId, await exported(sessionId));
    const { complete } = await execute(anna, { sessionId, input: said("asks") });
    const [call] = complete?.pendingToolCalls ?? [];
    const input = [{ role: "toolResult", toolCallId: call?.id, content: "x!" }];
    expect(textOf((await execute(anna, { sessionId, input })).events)).toBe("Be kind. far");
  });

  it("SESSION24 An import with forged session settings is refused, or its tool with a circular schema takes no arguments", async () => {
    asks();
    const context = { tools: [far], systemPrompt: "Be kind." };
    const { sessionId } = await execute(anna, { input: said("Hello"), context, options });
    const lines = linesOf(await exported(sessionId));
    const forge = (change: object) =>
      sealed(
        lines.map((line) => {
          if (line["type"] !== "thread") return line;
          const { thread } = line as { thread?: { setup?: object } };
          return { ...line, thread: { ...thread, setup: { ...thread?.setup, ...change } } };
        }),
      );
    const bad = [
      { more: 1 },
      { id: "a b" },
      { tools: [{ ...far, name: "__proto__", description: "", deadline_ms: null }] },
      { tools: [{ ...far, description: "", deadline_ms: -1 }] },
      { system_prompt: "\ud800" },
    ];
    for (const change of bad) {
      const { status } = await imported(crypto.randomUUID(), await forge(change));
      expect([JSON.stringify(change), status]).toEqual([JSON.stringify(change), 400]);
    }
    const brought = { description: "", deadline_ms: null };
    const circle = { type: "object", properties: { q: { $ref: "#" } } };
    const tools = [
      { name: "far", parameters: circle, ...brought },
      { name: "note", parameters: null, ...brought },
    ];
    await replaced(sessionId, await forge({ tools }));
    const { complete, events } = await execute(anna, { sessionId, input: said("asks") });
    // The project's tool of that name is not the client's tool, and is not in the client's list.
    expect(textOf(events)).toBe("Be kind. far");
    expect(complete?.status).toBe("completed");
    const results = events.flatMap((event) => (event.type === "message_end" ? [event.message] : []));
    expect(results).toMatchObject([{}, {}, { role: "toolResult", isError: true }, {}]);
  });
});
