// The forecaster, whose tool runs on the client: every way to receive the call, and the ways to answer it.

import { expect, it } from "vitest";

import { toolResultsTakenSchema } from "#contract/tool-route.ts";

import type { ApiClient } from "../../../support/http-client/api-client.ts";
import type { SuiteServer } from "../suite-server.ts";

async function locate(api: ApiClient, id: string, result: string) {
  const [call] = (await api.thread(id)).pending_tool_calls;
  const json = { results: [{ tool_call_id: call?.id, result }] };
  return api.ask(toolResultsTakenSchema, "POST", `/api/threads/${id}/tool-results`, { json });
}

export function weather(use: () => SuiteServer): void {
  it("The weather demo waits until the client sends the person's city, and followers receive the call, its result and the answer", async () => {
    const { api } = use();
    const { id } = await api.createThread("forecaster");
    const following = [await api.events(id), await api.socket(id)];
    const own = await api.sayForEvents(id, "What is the weather?");
    // The stream ends when the run is suspended, just as a waiting request gets its response then.
    expect(await own.untilEnd()).toBe("closed");
    expect(own.events.at(-1)).toMatchObject({
      type: "awaiting_tool_execution",
      tool_calls: [{ name: "get_location", arguments: { precision: "city" }, kind: "remote" }],
    });
    expect(await api.thread(id)).toMatchObject({ status: "awaiting_tool_execution" });
    expect(await locate(api, id, "Lisbon")).toMatchObject({ missing: [], ignored: [] });
    for (const feed of following) {
      await feed.until("run_end", ({ status }) => status === "completed");
      expect(feed.view().messages.map(({ role, content }) => [role, content])).toEqual([
        ["user", "What is the weather?"],
        ["assistant", "Let me see where you are."],
        ["tool", "Lisbon"],
        ["assistant", "Sunny in Lisbon, as in every demo."],
      ]);
      feed.close();
    }
    expect(await api.runs(id)).toMatchObject([{ status: "completed" }]);
  });

  it("A thread of the weather demo that waits for its client is listed under that status, and invalid results are refused", async () => {
    const { api } = use();
    const { id } = await api.createThread("forecaster");
    expect((await api.say(id, "Weather?")).run.status).toBe("awaiting_tool_execution");
    const listed = async () => (await api.call("GET", "/api/threads?status=awaiting_tool_execution&limit=200")).text;
    await expect.poll(listed).toContain(id);
    const post = (json: object) => api.call("POST", `/api/threads/${id}/tool-results`, { json });
    const answers = await Promise.all([
      post({ results: [] }),
      post({ results: [{ tool_call_id: "call_x" }] }),
      post({ results: [{ tool_call_id: "call_x", result: "a", error: "b" }] }),
      post({ results: [{ tool_call_id: "call_x", result: "a" }] }),
      post({ results: [{ tool_call_id: "call_x", result: "x".repeat(20_000_000) }] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 404, 413]);
    expect(answers[1]?.text).toContain("Give one of `result`, `content`, `error` and `approved`");
    await locate(api, id, "Porto");
    const end = await api.events(id, "after=0&until=idle");
    expect(await end.untilEnd()).toBe("end");
    expect((await api.thread(id)).status).toBe("idle");
  });
}
