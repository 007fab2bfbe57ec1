// Refunds an order once. The receipt is a file of the thread, so it is there after a restart and at every desk.
import { defineTool } from "threadhold";
import { z } from "zod";

import { findOrder } from "../lib/orders.ts";

export default defineTool(
  "Refund an order.",
  z.object({ order: z.string().describe("The order's number, four digits") }),
  async (state, { order }) => {
    const found = findOrder(order);
    // The model reads an error too, and can tell the customer.
    if (found === undefined) return { status: "error", error: `There is no order ${order}.` };
    const receipt = `/refunds/${found.number}.txt`;
    if ((await state.statFile(receipt)) !== null)
      return { status: "error", error: `Order ${order} is refunded already.` };
    await state.writeFile(receipt, `${found.price} for ${found.item}\n`, "text/plain");
    return `Refunded ${found.price} for ${found.item}. The receipt is ${receipt}.`;
  },
);
