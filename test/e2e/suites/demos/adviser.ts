// The demo whose tool executes an agent by itself.

import { expect, it } from "vitest";

import type { SuiteServer } from "../suite-server.ts";

export function adviser(use: () => SuiteServer): void {
  it("The adviser demo executes an agent with a plan inside of its tool, the cost of the run is the cost of that agent, and the tokens of the run include those of that agent", async () => {
    const { api } = use();
    const { id } = await api.createThread("adviser");
    // The events of the agent are not stored, so the subscription begins before the message.
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
    expect(ends).toMatchObject([{ subagent_type: "specialist", success: true, tool_executions: 2 }]);
    const inner = feed.events.flatMap((event) => (event.type === "subagent_event" ? [event.event] : []));
    const plans = inner.filter((event) => event["type"] === "plan");
    expect(plans.at(-1)?.["steps"]).toMatchObject([
      { id: "prices", status: "completed" },
      { id: "compare", status: "completed" },
    ]);
    const [run] = await api.runs(id);
    expect(run).toMatchObject({ status: "completed", cost: ends[0]?.cost });
    expect(run?.cost).toBeGreaterThan(0);
    const steps = feed.events.flatMap((event) => (event.type === "step_end" ? [event.usage.total_tokens] : []));
    const inside = ends[0]?.usage.total_tokens ?? 0;
    expect(inside).toBeGreaterThan(0);
    expect(steps).toHaveLength(2);
    expect(run?.usage.total_tokens).toBe(steps.reduce((sum, tokens) => sum + tokens, inside));
    expect(run?.models).toContain("demo_specialist");
  });
}
