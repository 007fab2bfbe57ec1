// Threads whose models are at clouds, over HTTP with recorded bytes: a conversation with a tool and with thinking, over two steps and two runs,
// and a crash within a tool. The model server refuses each request that breaks the rules of its protocol.

import { defineTool } from "@standardagents/spec";
import type { AnyModelDefinition } from "@standardagents/spec";
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, inject, it, onTestFinished } from "vitest";
import { z } from "zod";

import { deferred } from "#lib/deferred.ts";

import { serve, start } from "../standard-agents/project.ts";
import { wireModel } from "../standard-agents/wire.ts";
import { registry } from "../worker/definitions.ts";
import { waitFor } from "./team-driver.ts";
import { admin, crash, follow, message, stubOf, value } from "./thread-driver.ts";

/** The answers to the requests in order: two steps of a first run, a step that a crash follows, and the last one. */
const steps = "case:thinking-then-call|thinking|thinking-then-call|text";

interface Cloud {
  title: string;
  definition: Partial<AnyModelDefinition>;
  /** The path of the requests. */
  path: RegExp;
  /** The signature of thinking in a request, with its end, which is `2` for the steps with a call; null for a protocol without signatures. */
  signature: RegExp | null;
}

const server = inject("modelServer");
const vertexUrl = `${server}/v1/projects/project/locations/global`;
const clouds: Cloud[] = [
  {
    title: "Azure with the Responses API",
    definition: {
      provider: "azure",
      model: steps,
      baseUrl: `${server}/openai/v1`,
      compat: { supportsReasoningEffort: true },
    },
    path: /^\/openai\/v1\/responses$/,
    signature: /"encrypted_content":"gAAAAABsig(2?)"/g,
  },
  {
    title: "Azure with Chat Completions",
    definition: {
      provider: "azure",
      api: "chat",
      model: "case:tool-call|text|tool-call|text",
      baseUrl: `${server}/openai/v1`,
    },
    path: /^\/openai\/v1\/chat\/completions$/,
    signature: null,
  },
  {
    title: "Gemini at Vertex AI",
    definition: { provider: "vertex", model: steps, baseUrl: vertexUrl },
    path: /publishers\/google/,
    signature: /"thoughtSignature":"CsYBAdHtim8sig(2?)"/g,
  },
  {
    title: "Claude at Vertex AI",
    definition: { provider: "vertex", model: steps.replace("case:", "claude-case:"), baseUrl: vertexUrl },
    path: /publishers\/anthropic/,
    signature: /"signature":"EqQBCkYIBxgCKkD\+sig(2?)"/g,
  },
  {
    title: "Claude at Bedrock",
    definition: { provider: "bedrock", model: `${steps}|text|anthropic.claude-sonnet-4-5`, baseUrl: server },
    path: /converse-stream$/,
    signature: /"signature":"EqQBCkYIBxgCKkD\+sig(2?)"/g,
  },
  {
    title: "another model at Bedrock",
    definition: { provider: "bedrock", model: "case:tool-call|text|tool-call|text", baseUrl: server },
    path: /converse-stream$/,
    signature: null,
  },
];

it.for(clouds.map((cloud) => [cloud.title, cloud] as const))(
  "A thread with %s keeps its thinking and its calls over steps, runs and a crash within a tool",
  async ([, { definition, path, signature }]) => {
    const wire = wireModel("openai", definition);
    let isCut = false;
    const begun = deferred<void>();
    const get_weather = defineTool("Weather of a city", z.object({ city: z.string() }), async () => {
      if (!isCut) return { status: "success", result: "sunny" };
      begun.resolve();
      return new Promise<never>(() => undefined);
    });
    const project = serve({
      tools: { get_weather },
      model: { capabilities: { functionCalling: true }, ...wire.definition },
      prompt: { includeChat: true, includePastTools: true, reasoning: { effort: "low", include: true } },
    });
    const thread = await project.thread();
    expect((await thread.say("Weather in Rome?")).at(-1)).toMatchObject({ type: "run_end", status: "completed" });

    isCut = true;
    const following = await follow(thread.id, {});
    await value(stubOf(thread.id).call("postMessage", admin, message("And now?"), null));
    await following.until(({ type }) => type === "tool_execution_start");
    let hasBegun = false;
    void begun.promise.then(() => (hasBegun = true));
    await waitFor(() => hasBegun);
    await crash(thread.id);
    isCut = false;
    expect(await runDurableObjectAlarm(env.THREADS.get(env.THREADS.idFromName(thread.id)))).toBe(true);
    const after = await follow(thread.id, { after: "0" });
    await after.until(() => after.events.filter(({ type }) => type === "run_end").length === 2);
    expect(after.events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    const roles = (await thread.messages()).map(({ role }) => role);
    const run = ["user", "assistant", "tool", "assistant"];
    expect(roles).toEqual([...run, ...run]);

    const sent = await wire.sent();
    expect(sent).toHaveLength(4);
    for (const request of sent) expect(decodeURIComponent(request.path)).toMatch(path);
    const bodies = sent.map(({ body }) => JSON.stringify(body));
    expect(bodies.map((body) => body.split("sunny").length - 1)).toEqual([0, 1, 1, 1]);
    expect(bodies[3]).toMatch(/unknown|interrupted/i);
    if (signature === null) return;
    const found = bodies.map((body) => [...body.matchAll(signature)].map(([, end]) => end));
    expect(found).toEqual([[], ["2"], ["2", ""], ["2", "", "2"]]);
  },
);

it.for(clouds.map(({ title, definition }) => [title, definition] as const))(
  "HINT1 HINT2 A refused key of %s is in the events, the messages over HTTP and the log with the definition's file and the variable",
  async ([, { provider = "azure", model = "", ...definition }]) => {
    const files = { models: { main: "agents/models/main.ts" } };
    const before = registry.files;
    Object.assign(registry, { files });
    onTestFinished(() => void Object.assign(registry, { files: before }));
    const name = model.replace(/case:.*?(?=\||$)/, "case:auth");
    const wire = wireModel("openai", { ...definition, provider, model: name.replace(/\|(?!text\|anthropic).*/, "") });
    const { project, thread } = await start({ model: wire.definition });
    const events = await thread.say("Hello?");
    const [refused] = await thread.logs("llm_request");
    const received = await (await project.fetch(`/api/threads/${thread.id}/runs`)).text();
    const variable = {
      azure: "AZURE_API_KEY",
      vertex: "GOOGLE_VERTEX_ACCESS_TOKEN",
      bedrock: "AWS_BEARER_TOKEN_BEDROCK",
    };
    for (const text of [JSON.stringify(events.at(-1)), JSON.stringify(refused), received]) {
      expect(text).toContain("of agents/models/main.ts)");
      expect(text).toContain(variable[provider as keyof typeof variable]);
    }
  },
);
