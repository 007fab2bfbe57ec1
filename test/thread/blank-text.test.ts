// A model that writes a blank text next to a call. Providers refuse such a text in a request, so a thread that sent it back would fail in
// every later run.

import { defineTool } from "@standardagents/spec";
import { expect, it } from "vitest";
import { z } from "zod";

import { serve } from "../standard-agents/project.ts";
import { wireModel } from "../standard-agents/wire.ts";

const get_weather = defineTool("Weather of a city", z.object({ city: z.string() }), () =>
  Promise.resolve({ status: "success", result: "sunny" }),
);

it.for(["anthropic", "openai", "openai-responses", "openrouter", "google"] as const)(
  "HISTORY1 A thread with a blank text next to a call of %s goes on, in this run and in the next",
  async (provider) => {
    const api = provider === "openai-responses" ? ({ api: "responses" } as const) : {};
    const wire = provider === "openai-responses" ? "openai" : provider;
    const { definition: model, sent } = wireModel(wire, { ...api, model: "case:blank-then-call|text" });
    const thread = await serve({
      tools: { get_weather },
      model,
      prompt: { includeChat: true, includePastTools: true },
    }).thread();
    for (const said of ["Weather in Rome?", "And now?"]) {
      expect((await thread.say(said)).at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    }
    const requests = await sent();
    expect(requests).toHaveLength(3);
    for (const { body } of requests.slice(1)) {
      expect(JSON.stringify(body)).toContain("sunny");
      expect(JSON.stringify(body)).not.toMatch(/"(?:\\n)+"/);
    }
  },
);
