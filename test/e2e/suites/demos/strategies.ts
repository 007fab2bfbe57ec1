// The demos of strategies: one that plans, and one with a strategy of the project.

import { expect, it } from "vitest";

import type { SuiteServer } from "../suite-server.ts";

export function strategies(use: () => SuiteServer): void {
  it("The reader demo carries out its plan step by step, and the view of its run has the completed plan", async () => {
    const { api } = use();
    const { id } = await api.createThread("guide_reader");
    const feed = await api.sayForEvents(id, "Explain runs and events");
    await feed.untilEnd();
    const phases = feed.events.flatMap((event) => (event.type === "step_start" ? [event.phase] : []));
    expect(phases).toEqual(["plan", ...Array.from({ length: 5 }, () => "execute")]);
    const [run] = Object.values(feed.view().runs);
    expect(run).toMatchObject({ status: "completed", steps: 6, cost: 0 });
    expect(run?.plan?.map((step) => [step.id, step.tool, step.status])).toEqual([
      ["run", "search_handbook", "completed"],
      ["event", "search_handbook", "completed"],
      ["answer", undefined, "completed"],
    ]);
    const messages = await api.messages(id, "&include_silent=false");
    expect(messages.at(-1)?.content).toBe(
      "A run is one activation of the loop, from your message to rest. Everything that happens is an event with a rising number.",
    );
  });

  it("The notice demo checks its draft as JSON, rewrites it, and shows only the last text", async () => {
    const { api } = use();
    const { id } = await api.createThread("notice_writer");
    const feed = await api.sayForEvents(id, "The pool is closed today");
    await feed.untilEnd();
    const phases = feed.events.flatMap((event) => (event.type === "step_start" ? [event.phase] : []));
    expect(phases).toEqual(["write", "check", "write", "check", "publish"]);
    expect(feed.view().messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "The pool is closed today"],
      ["assistant", "Dear guests, the pool is closed today."],
    ]);
    const silent = await api.messages(id, "&include_silent=true");
    expect(silent.filter(({ role, strategy }) => role === "assistant" && strategy?.phase === "check")).toMatchObject([
      { content: JSON.stringify({ faults: ['Strike "really".', 'Strike "very".', "Keep it to 12 words."] }) },
      { content: JSON.stringify({ faults: [] }) },
    ]);
    expect(await api.runs(id)).toMatchObject([{ status: "completed", outcome: { checks: 2 } }]);
  });
}
