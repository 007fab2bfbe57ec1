// The support desk: a thread that is handed to another agent in the middle of a run, and back.

import { expect, it } from "vitest";

import { settledMessages } from "../../../support/http-client/transcript.ts";
import type { SuiteServer } from "../suite-server.ts";

export function supportDesk(use: () => SuiteServer): void {
  it("The support desk demo hands a refund over to the billing agent during the run, and a later message returns the thread to the support desk", async () => {
    const { api } = use();
    const { id } = await api.createThread("support_desk");
    const feed = await api.sayForEvents(id, "I want a refund for order 1042");
    await feed.untilEnd();
    expect(feed.ofType("agent_handoff")).toMatchObject([{ from: "support_desk", to: "billing_desk" }]);
    const types = feed.events.map(({ type }) => type);
    expect(types[types.indexOf("agent_handoff") - 1]).toBe("step_end");
    expect(feed.ofType("tool_execution_end").map(({ tool_name }) => tool_name)).toEqual([
      "billing_desk",
      "look_up_order",
      "refund_order",
    ]);
    expect(await api.thread(id)).toMatchObject({ agent_id: "billing_desk", origin_agent_id: "support_desk" });
    expect(settledMessages(feed.view().messages)).toEqual(await api.messages(id));

    const back = await api.say(id, "And where is my parcel 1043?");
    expect(back.run).toMatchObject({ status: "completed", steps: 3 });
    expect(back.run.text).toContain("a wool blanket");
    const thread = await api.thread(id);
    expect(thread.agent_id).toBe("support_desk");
    const runs = await api.runs(id);
    expect(runs.map(({ agent_id }) => agent_id)).toEqual(["support_desk", "billing_desk"]);
    expect(thread.usage.total_tokens).toBe(runs.reduce((sum, { usage }) => sum + usage.total_tokens, 0));
  });

  it("The billing agent of the support desk demo is sent the earlier messages, refunds once, and names what it cannot refund", async () => {
    const { api } = use();
    const { id } = await api.createThread("support_desk");
    const say = async (text: string): Promise<string | null> => (await api.say(id, text)).run.text;
    expect(await say("I want my money back")).toContain("Which order");
    expect(await say("1042")).toContain("Refunded 49.00 EUR");
    expect(await say("Refund 1042 again")).toBe("Order 1042 is refunded already.");
    expect(await say("Refund 1044")).toContain("not paid");
    expect(await say("Refund 9999")).toBe("There is no order 9999.");
    expect((await api.call("GET", `/api/threads/${id}/files/refunds/1042.txt`)).text).toBe(
      "49.00 EUR for a brass lamp\n",
    );
    expect((await api.call("GET", `/api/threads/${id}/summary`)).body).toMatchObject({ files: 1, bytes: 27 });
  });
}
