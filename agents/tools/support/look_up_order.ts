import { defineTool } from "threadhold";
import { z } from "zod";

import { findOrder } from "../../lib/orders.ts";

export default defineTool(
  "Look an order up: what it is, whether it is paid, where the parcel is.",
  z.object({
    order: z
      .string()
      .regex(/^\d{4}$/)
      .describe("The order's number, four digits"),
  }),
  async (_state, { order }) => {
    const found = findOrder(order);
    // An error is a result too: the model reads it and can tell the customer.
    if (found === undefined) return { status: "error", error: `There is no order ${order}.` };
    const { item, price, paid, parcel } = found;
    return `Order ${order}: ${item}, ${price}, ${paid ? "paid" : "not paid"}, ${parcel}.`;
  },
);
