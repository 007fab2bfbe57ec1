// Searches the handbook and streams its progress.

import { defineTool } from "threadhold";
import { z } from "zod";

import { handbook, searchHandbook } from "../lib/handbook.ts";

export default defineTool(
  "Search the Threadhold handbook. Use it for any question about threads, runs, events, tools or models.",
  z.object({ question: z.string().describe("What the person wants to know") }),
  async function* (_state, { question }) {
    for (const [index, page] of handbook.entries()) {
      yield { type: "delta", delta: `Reading "${page.title}"\n` };
      yield { type: "progress", data: { read: index + 1, of: handbook.length } };
    }
    const found = searchHandbook(question);
    const [best] = found;
    yield {
      type: "complete",
      output: best === undefined ? "Nothing found." : `${best.title}: ${best.text}`,
      details: { found: found.map((page) => page.title) },
    };
  },
);
