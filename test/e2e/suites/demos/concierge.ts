// The concierge: a system prompt composed of four files.

import { expect, it } from "vitest";
import { z } from "zod";

import type { SuiteServer } from "../suite-server.ts";

const rebuiltSchema = z.object({ data: z.object({ rebuilt: z.object({ system: z.string() }) }) });

export function concierge(use: () => SuiteServer): void {
  it("The concierge demo sends its model the text of four files in order, and the model answers from it", async () => {
    const { api } = use();
    const { id } = await api.createThread("concierge");
    const say = async (text: string): Promise<string | null> => (await api.say(id, text)).run.text;
    const signed = (text: string): string => `${text}\nYours, the Linden House`;
    expect(await say("When is the pool open?")).toBe(signed("The pool is open from 9 to 21."));
    expect(await say("May I bring my dog?")).toBe(signed("Dogs are welcome in every room and in the garden."));
    expect(await say("Is there a sauna?")).toBe(signed("I do not know that, but I will ask."));

    const [log] = await api.logs(id, "&type=llm_request");
    const { data } = await api.ask(rebuiltSchema, "GET", `/api/threads/${id}/logs/${log?.id ?? ""}`);
    expect(data.rebuilt.system).toBe(
      [
        "You are the concierge of a small hotel. Answer from the facts below and nothing else.",
        "",
        'Speak plainly and kindly. Sign every answer with "Yours, the Linden House".',
        "",
        "Facts:",
        "- Dogs are welcome in every room and in the garden.",
        "- Breakfast is served from 7 to 10.",
        "- The pool is open from 9 to 21.",
        "- The desk is staffed day and night.",
      ].join("\n"),
    );
  });
}
