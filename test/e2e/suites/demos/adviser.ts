// The demo whose tool runs a model by itself.

import { expect, it } from "vitest";

import type { SuiteServer } from "../suite-server.ts";

export function adviser(use: () => SuiteServer): void {
  it("The adviser demo runs a model inside of its tool, and the model's tokens and cost are those of the run", async () => {
    const { api } = use();
    const { id } = await api.createThread("adviser");
    const feed = await api.events(id);
    await api.say(id, "Should we buy or rent a coffee machine?");
    await feed.until("run_end");
    feed.close();
    expect(feed.view().messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "Should we buy or rent a coffee machine?"],
      ["assistant", "Let me ask the specialist."],
      ["tool", "After 14 months renting costs more than buying."],
      ["assistant", "The specialist says: After 14 months renting costs more than buying."],
    ]);
    const ends = feed.events.filter((event) => event.type === "subagent_end");
    expect(ends).toMatchObject([{ subagent_type: "demo_specialist", success: true, tool_executions: 1 }]);
    const [run] = await api.runs(id);
    expect(run).toMatchObject({ status: "completed", cost: ends[0]?.cost });
    expect(run?.cost).toBeGreaterThan(0);
    expect(run?.models).toContain("demo_specialist");
  });
}
