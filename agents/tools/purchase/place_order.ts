// Orders an item. The call for an expensive item waits for a person, who may approve it, change the price or refuse. Until then nothing is
// ordered, and the waiting call takes no memory.

import { defineTool } from "threadhold";
import { z } from "zod";

/** The price in euros above which a person has to approve. */
const petty = 100;

export default defineTool(
  "Order something for the office.",
  z.object({ item: z.string().describe("What"), price: z.number().positive().describe("At most, in euros") }),
  async (state, { item, price }, { id }) => {
    // The call's id is the same when a call is repeated after a crash.
    await state.writeFile(`/orders/${id}.json`, JSON.stringify({ item, price }), "application/json");
    return `Ordered: ${item} for at most ${price} euros.`;
  },
  { needsApproval: ({ price }) => price > petty, editableArguments: true, idempotent: true },
);
