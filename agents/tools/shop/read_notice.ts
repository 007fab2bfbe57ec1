// Reads a value of the KV namespace that wrangler.toml binds as NOTICES.

import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool(
  "Read a notice of the shop, such as its opening hours.",
  z.object({ about: z.enum(["hours", "holidays"]).describe("What the notice is about") }),
  async (state, { about }) => {
    const notice = await state.env.NOTICES.get(about);
    // `npx wrangler kv key put hours "From 10 to 18" --binding NOTICES --local` writes one.
    return { status: "success", result: notice ?? `There is no notice about ${about}. The shop is open from 9 to 17.` };
  },
);
