// Orders something. What is dear waits for a person, who may change the price or say no: until then nothing is ordered, and
// nothing is in memory either.

import { defineTool } from "threadhold";
import { z } from "zod";

/** Euros above which somebody has to agree. */
const petty = 100;

export default defineTool(
  "Order something for the office.",
  z.object({ item: z.string().describe("What"), price: z.number().positive().describe("At most, in euros") }),
  async (state, { item, price }, { id }) => {
    // The call's id tells a call that is made again, after a crash, from another one.
    await state.writeFile(`/orders/${id}.json`, JSON.stringify({ item, price }), "application/json");
    return { status: "success", result: `Ordered: ${item} for at most ${price} euros.` };
  },
  { needsApproval: ({ price }) => price > petty, editableArguments: true, idempotent: true },
);
