// The purchaser, whose tool asks a person before it spends much.

import { expect, it } from "vitest";

import { toolResultsTakenSchema } from "#contract/tool-route.ts";

import type { ApiClient } from "../../../support/http-client/api-client.ts";
import type { SuiteServer } from "../suite-server.ts";

const ordered = async (api: ApiClient, id: string) =>
  (await api.call("GET", `/api/threads/${id}/files/orders`)).status === 200;

async function decide(api: ApiClient, id: string, decision: object) {
  const [call] = (await api.thread(id)).pending_tool_calls;
  const json = { results: [{ tool_call_id: call?.id, ...decision }] };
  return api.ask(toolResultsTakenSchema, "POST", `/api/threads/${id}/tool-results`, { json });
}

export function purchase(use: () => SuiteServer): void {
  it("The purchase demo orders cheap goods at once", async () => {
    const { api } = use();
    const { id } = await api.createThread("purchaser");
    expect((await api.say(id, "A desk lamp for 40")).run.status).toBe("completed");
    expect(await ordered(api, id)).toBe(true);
  });

  it.each([
    [{ approved: true }, "Ordered: An espresso machine for at most 900 euros.", true],
    [{ approved: true, args: { item: "A moka pot", price: 35 } }, "Ordered: A moka pot for at most 35 euros.", true],
    [{ approved: false, error: "Too dear." }, "Then I leave it.", false],
  ])("The purchase demo waits for a person before it orders expensive goods: %o", async (decision, words, buys) => {
    const { api } = use();
    const { id } = await api.createThread("purchaser");
    const feed = await api.socket(id);
    expect((await api.say(id, "An espresso machine for 900")).run.status).toBe("awaiting_tool_execution");
    expect(await ordered(api, id)).toBe(false);
    expect((await api.thread(id)).pending_tool_calls).toMatchObject([
      { name: "place_order", kind: "approval", arguments: { price: 900 }, editable_arguments: true },
    ]);
    await decide(api, id, decision);
    await feed.until("run_end", ({ status }) => status === "completed");
    expect(feed.view().messages.at(-1)?.content).toContain(words);
    expect(await ordered(api, id)).toBe(buys);
    feed.close();
  });
}
