// The author: an agent with two sides that is called as a tool and works in a thread of its own.

import { expect, it } from "vitest";
import { z } from "zod";

import { threadSchema } from "#contract/thread.ts";

import type { SuiteServer } from "../suite-server.ts";

const threadsSchema = z.object({ threads: z.array(threadSchema) });
const approved = "Our bicycles: the best there is, made to last.";

export function review(use: () => SuiteServer): void {
  it("The review demo has a draft reviewed by two models in a child thread, and their outcome is the call's result", async () => {
    const { api } = use();
    const { id } = await api.createThread("author");
    const live = await api.events(id);
    const { run } = await api.say(id, "A line for our bicycles");
    expect(run).toMatchObject({ status: "completed", text: approved });
    await live.until("run_end", ({ run_id }) => run_id === run.id);
    live.close();

    const children = async () => (await api.ask(threadsSchema, "GET", `/api/threads?parent_id=${id}`)).threads;
    // The catalog is written after the thread, so the list may be one change late.
    await expect
      .poll(children)
      .toMatchObject([{ agent_id: "review_room", status: "idle", parent: { thread_id: id, run_id: run.id } }]);
    const [child] = await children();
    const all = await api.ask(threadsSchema, "GET", "/api/threads?limit=200");
    expect(all.threads.map((thread) => thread.id)).not.toContain(child?.id);

    const [start] = live.ofType("subagent_start");
    const [end] = live.ofType("subagent_end");
    expect(start).toMatchObject({ subagent_type: "review_room", child_thread_id: child?.id });
    expect(end).toMatchObject({ success: true, result: approved, tool_executions: 1 });
    const inside = live.ofType("subagent_event").map(({ event }) => event["type"]);
    expect(inside.filter((type) => type === "turn_end")).toHaveLength(5);

    const said = await api.messages(child?.id ?? "");
    expect(said.map(({ role, content }) => [role, content])).toMatchObject([
      ["user", start?.prompt],
      ["assistant", "Strike the empty words: really, very, truly."],
      ["user", "Our bicycles: the best there is, made to last, for every day of your whole life."],
      ["assistant", "16 words. Keep it to 12."],
      ["user", approved],
      ["assistant", null],
      ["tool", JSON.stringify({ text: approved })],
    ]);
    const [childRun] = await api.runs(child?.id ?? "");
    expect(childRun).toMatchObject({ parent_run_id: run.id, outcome: approved, reason: "end_session_tool" });
    const answers = (await api.messages(id)).filter(({ role }) => role === "assistant");
    const own = answers.reduce((sum, { usage }) => sum + (usage?.total_tokens ?? 0), 0);
    expect(run.usage.total_tokens).toBe(own + (childRun?.usage.total_tokens ?? Number.NaN));

    expect((await api.call("DELETE", `/api/threads/${id}`)).status).toBe(204);
    await expect.poll(() => api.call("GET", `/api/threads/${child?.id ?? ""}`).then(({ status }) => status)).toBe(404);
  });
}
