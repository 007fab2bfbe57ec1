// The effects of a branch: calls of prompts, agents and files that are settled on the part left behind.

import { beforeEach, describe, expect, it } from "vitest";

import { requested, scriptedAnswers, toolEffects } from "../worker/team.ts";
import { branchMessages, messageWith, runBranch } from "./branch-driver.ts";
import { resetAgents } from "./team-driver.ts";
import { admin, converse, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(resetAgents);

const rerun = async (id: string, word: string) => runBranch(id, { from: (await messageWith(id, word)).id });
const toolOf = async (id: string) => (await branchMessages(id)).find(({ role }) => role === "tool");

describe("a call of a new branch that is no function", () => {
  it("BRANCH29 A call of a prompt takes the result without a nested loop, and a nested call takes that of a nested call", async () => {
    const id = await newThread("boss");
    let acted = 0;
    let task = "x";
    toolEffects.set("k", () => {
      acted += 1;
      return "acted";
    });
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "helper", arguments: { task } }] } : { text: "boss done" },
    );
    scriptedAnswers.set("helper", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "act", arguments: { key: "k" } }] } : { text: "helper done" },
    );
    await converse(id, "go");
    const source = await toolOf(id);
    requested.length = 0;
    const { events } = await rerun(id, "go");
    expect(requested.map(({ persona }) => persona)).toEqual(["boss", "boss"]);
    expect(await toolOf(id)).toMatchObject({ reused_from: source?.id, content: source?.content, usage: null });
    expect(events.some(({ type }) => type === "subagent_start")).toBe(false);
    task = "other";
    await rerun(id, "go");
    expect(requested.map(({ persona }) => persona)).toContain("helper");
    expect(acted).toBe(1);
  });

  it("BRANCH30 A handoff whose call takes a result hands the new branch over again", async () => {
    const id = await newThread("support");
    scriptedAnswers.set("desk", () => ({ toolCalls: [{ name: "billing", arguments: { task: "take over" } }] }));
    scriptedAnswers.set("clerk", () => ({ text: "clerk" }));
    await converse(id, "my bill");
    const { events } = await rerun(id, "my bill");
    expect(events.find(({ type }) => type === "agent_handoff")).toMatchObject({ from: "support", to: "billing" });
    expect((await toolOf(id))?.reused_from).toBeDefined();
    expect((await value(stubOf(id).call("describe", admin))).agent_id).toBe("billing");
  });
});
