// What a person sees in the first minute: no key, no account, a scripted assistant that uses its tools and its memory.

import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { SuiteServer } from "./suite-server.ts";

const assistants = ["anthropic_assistant", "assistant", "google_assistant", "openai_assistant", "openrouter_assistant"];
/** The events of a turn with one tool call. Consecutive events of one type are one entry. */
const order = [
  "run_start message_start message_end",
  "step_start message_start thinking_start thinking_delta thinking_end",
  "toolcall_start toolcall_delta toolcall_end message_end",
  "tool_execution_start tool_execution_delta tool_execution_end message_start message_end step_end",
  "step_start message_start text_start text_delta text_end message_end step_end",
  "turn_end run_end",
].flatMap((line) => line.split(" "));
const namesSchema = z.object({ agents: z.array(z.object({ name: z.string() })) });

export function firstMinute(use: () => SuiteServer): void {
  describe("the first minute", () => {
    it("The health check responds, and the agents of the project are listed", async () => {
      const { api } = use();
      expect((await api.call("GET", "/healthz")).body).toMatchObject({ status: "ok" });
      const { agents } = await api.ask(namesSchema, "GET", "/api/agents");
      expect(agents.map(({ name }) => name)).toEqual(expect.arrayContaining(assistants));
    });

    it("The events of an answer arrive in the contract's order: thinking, a tool call with progress, its result, and streamed text", async () => {
      const { api } = use();
      const { id } = await api.createThread();
      const feed = await api.sayForEvents(id, "What is a thread?");
      expect(await feed.untilEnd()).toBe("closed");

      const types = feed.events.map(({ type }) => type);
      const once = types.filter((type, index) => type !== types[index - 1]);
      expect(once).toEqual(order);
      const [execution] = feed.ofType("tool_execution_end");
      expect(execution).toMatchObject({ tool_name: "search_handbook", is_error: false });
      const progress = feed.ofType("tool_execution_delta");
      expect(progress.some(({ delta }) => delta?.includes("Reading"))).toBe(true);
      expect(progress.some(({ progress: data }) => data !== undefined)).toBe(true);
      expect(feed.ofType("text_delta").length).toBeGreaterThan(5);

      const { messages, tools } = feed.view();
      const [tool] = Object.values(tools);
      expect(tool).toMatchObject({ running: false, progress: { read: 5, of: 5 } });
      expect(tool?.output.split("\n").filter((line) => line.startsWith("Reading"))).toHaveLength(5);
      expect(messages.at(-1)?.content).toContain("A thread is a durable conversation");
      expect(feed.ofType("run_end")).toMatchObject([{ status: "completed", error: null }]);
    });

    it("The demo assistant is sent the earlier messages, writes a hidden note, and states what it cannot do", async () => {
      const { api } = use();
      const { id } = await api.createThread();
      await api.say(id, "What is a thread?");
      expect((await api.say(id, "What did I say before?")).run.text).toContain('"What is a thread?"');
      expect((await api.say(id, "Remember that my cat is called Ada.")).run.text).toContain("1 note");
      expect((await api.say(id, "What do you remember?")).run.text).toContain("My notes say: my cat is called Ada");

      const shown = await api.messages(id);
      expect(shown.filter(({ silent }) => silent)).toEqual([]);
      const all = await api.messages(id, "&include_silent=true");
      expect(all.filter(({ silent }) => silent)).toMatchObject([
        { role: "system", content: "Note: my cat is called Ada", metadata: { kind: "note" } },
      ]);

      const lost = await api.say(id, "Please factorise 91 and sing.");
      expect(lost.run).toMatchObject({ status: "completed", steps: 1, error: null });
      expect(lost.run.text).toMatch(/beyond me.*provider's key/);
    });
  });
}
