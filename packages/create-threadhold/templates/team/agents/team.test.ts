// Runs both agents on a real thread. Only the answers of their models are scripted, for each prompt.
import { startThread, text, toolCall } from "threadhold/testing";
import { expect, test } from "vitest";

test("The front desk hands a refund over to billing, which refunds an order once", async () => {
  const thread = await startThread("front_desk", {
    answers: {
      front_desk_rules: [toolCall("billing_desk", { task: "Refund order 1042" })],
      billing_desk_rules: [
        toolCall("refund_order", { order: "1042" }),
        text("It is refunded."),
        toolCall("refund_order", { order: "1042" }),
        text("It was refunded before."),
      ],
    },
  });
  const first = await thread.send("I want a refund for order 1042");
  expect(first.text).toBe("It is refunded.");
  expect(first.events.map(({ type }) => type)).toContain("agent_handoff");
  const second = await thread.send("Again, please");
  expect(second.toolCalls).toMatchObject([{ result: { status: "error", error: "Order 1042 is refunded already." } }]);
});
