// What holds for all demos: they are listed, need no key, and answer any message.

import { expect, it } from "vitest";
import { z } from "zod";

import type { Run } from "#contract/run.ts";

import type { ApiClient } from "../../../support/http-client/api-client.ts";
import type { SuiteServer } from "../suite-server.ts";

const names = [
  "adviser",
  "author",
  "billing_desk",
  "coder",
  "concierge",
  "debate",
  "forecaster",
  "guide_reader",
  "librarian",
  "notice_writer",
  "picture_desk",
  "purchaser",
  "reporter",
  "review_room",
  "shopkeeper",
  "storekeeper",
  "support_desk",
];
const agentsSchema = z.object({ agents: z.array(z.object({ name: z.string(), description: z.string().nullable() })) });
const modelsSchema = z.object({
  models: z.array(z.object({ name: z.string(), provider: z.string(), ready: z.boolean() })),
});

const oddWords = [
  "?",
  "Refund invoice parcel 1042 1043 badge with: \u{1f469}\u200d\u{1f680} about tools",
  'close_debate "Begin." $& <b>\\" 0000',
  "word ".repeat(60),
];

/** The run after all of its client calls were answered. */
async function settled(api: ApiClient, id: string, run: Run): Promise<Run> {
  if (run.status !== "awaiting_tool_execution") return run;
  const { pending_tool_calls } = await api.thread(id);
  const results = pending_tool_calls.map(({ id: tool_call_id, kind }) =>
    kind === "approval" ? { tool_call_id, approved: true } : { tool_call_id, result: "Oslo" },
  );
  await api.call("POST", `/api/threads/${id}/tool-results`, { json: { results } });
  const rest = await api.events(id, `after=0&until=idle`);
  await rest.untilEnd();
  return (await api.runs(id)).find((one) => one.id === run.id) ?? run;
}

export function everyDemo(use: () => SuiteServer): void {
  it("Every demo is listed with a description, its models are ready, and the build has no findings", async () => {
    const { api } = use();
    const { agents } = await api.ask(agentsSchema, "GET", "/api/agents");
    const demos = agents.filter(({ description }) => description?.startsWith("Demo: "));
    expect(demos.map(({ name }) => name).toSorted()).toEqual(names);
    for (const { description } of demos) expect(description).toContain("Needs no key.");
    const { models } = await api.ask(modelsSchema, "GET", "/api/models");
    const scripted = models.filter(({ name }) => name.startsWith("demo_"));
    expect(scripted.length).toBeGreaterThan(5);
    expect(scripted.filter(({ ready, provider }) => !ready || provider !== "test")).toEqual([]);
    const health = await api.call("GET", "/healthz");
    expect(z.object({ diagnostics: z.array(z.unknown()).default([]) }).parse(health.body).diagnostics).toEqual([]);
  });

  it("Every demo answers messages of any text, one after the other", async () => {
    const { api } = use();
    const talk = async (name: string): Promise<void> => {
      const { id } = await api.createThread(name);
      for (const words of oddWords) {
        const run = await settled(api, id, (await api.say(id, words)).run);
        expect([name, words, run]).toMatchObject([name, words, { status: "completed", error: null }]);
        expect(run.text ?? run.outcome).toMatch(/\S/);
      }
    };
    await Promise.all(names.map(talk));
  });
}
