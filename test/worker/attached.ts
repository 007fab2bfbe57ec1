// Definitions for tests about attachments: tools that attach what a test sets, models that read images and one that
// does not, and a thread endpoint that returns the thread's files.

import { z } from "zod";

import { defineAgent, defineModel, definePrompt, defineThreadEndpoint, defineTool } from "#spec/index.ts";
import type { RouteEntry, TestRequest, TestTurn, ToolResult } from "#spec/index.ts";

/** The models' answers, by the first word of the last message. */
export const imageAnswers = new Map<string, (request: TestRequest) => TestTurn>();

/** Every request to the models, in order. */
export const shownToModels: TestRequest[] = [];

/** The results of the tool `attach`, by its key. */
export const attaching = new Map<string, () => unknown>();

const script = (request: TestRequest): TestTurn => {
  shownToModels.push(request);
  const word = request.lastUser.trim().split(/\s/)[0] ?? "";
  return imageAnswers.get(word)?.(request) ?? { text: "seen" };
};

export const attachedModels = [
  defineModel({ name: "seer", provider: "test", model: "seer", script }),
  defineModel({ name: "blind", provider: "test", model: "blind", script, capabilities: { vision: false } }),
];

const attach = defineTool("Attaches what the test says", z.object({ key: z.string() }), async (_state, { key }) => {
  return attaching.get(key)?.() as ToolResult;
});

export const attachedTools = { attach };

function prompt(name: string, model: string, extra: object = {}) {
  return definePrompt({
    name,
    toolDescription: name,
    prompt: "You look at files.",
    model,
    includeChat: true,
    includePastTools: true,
    tools: ["attach"],
    ...extra,
  });
}

export const attachedPrompts = [
  prompt("seeing", "seer"),
  prompt("unseeing", "blind"),
  prompt("short_sighted", "seer", { recentImageThreshold: 3 }),
];

export const attachedAgents = attachedPrompts.map(({ name }) => defineAgent({ name, sideA: { prompt: name } }));

const files = defineThreadEndpoint(async (request, state) => {
  const { searchParams } = new URL(request.url);
  const doomed = searchParams.get("delete");
  if (doomed !== null) await state.unlinkFile(doomed);
  const read = searchParams.get("read");
  if (read !== null) return new Response(await state.readFile(read));
  const { paths } = await state.findFiles("**/*");
  const sizes = await Promise.all(paths.map(async (path) => [path, (await state.statFile(path))?.size ?? -1]));
  return Response.json(Object.fromEntries(sizes));
});

export const attachedRoutes: RouteEntry[] = [
  {
    method: "GET",
    pattern: "/threads/:id/attached",
    params: ["id"],
    file: "attached",
    kind: "thread",
    load: () => Promise.resolve(files),
  },
];
