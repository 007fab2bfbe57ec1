// Refunds an order once. The receipt is a file of the thread, so it is available after a restart and at every desk.

import { defineTool } from "threadhold";
import { z } from "zod";

import { findOrder } from "../../lib/orders.ts";

export default defineTool(
  "Refund a paid order.",
  z.object({
    order: z
      .string()
      .regex(/^\d{4}$/)
      .describe("The order's number, four digits"),
  }),
  async (state, { order }) => {
    const found = findOrder(order);
    if (!found?.paid) return { status: "error", error: `Order ${order} is not paid, so there is nothing to refund.` };
    const receipt = `/refunds/${order}.txt`;
    if ((await state.statFile(receipt)) !== null)
      return { status: "error", error: `Order ${order} is refunded already.` };
    await state.writeFile(receipt, `${found.price} for ${found.item}\n`, "text/plain");
    return `Refunded ${found.price} for order ${order}; the receipt is ${receipt}.`;
  },
);
