// What tests do with a thread's files through its state: a test registers work under a name, a tool does it in a run and an
// endpoint at rest.

import { z } from "zod";

import { defineAgent, definePrompt, defineThreadEndpoint, defineTool } from "#spec/index.ts";
import type { RouteEntry, ThreadState } from "#spec/index.ts";
import type { FileSettings } from "#thread/files/loaded-thread-files.ts";

/** What objects that are made from now on are given for their files in place of the deployment's own. */
export const fileWorld: Partial<FileSettings> = {};

/** Work by name. */
export const fileWorks = new Map<string, (state: ThreadState) => Promise<unknown>>();

/** Does it; a refusal becomes what it says. */
async function done(name: string, state: ThreadState): Promise<unknown> {
  try {
    return (await fileWorks.get(name)?.(state)) ?? null;
  } catch (thrown) {
    const { code, message } = thrown as { code?: string; message: string };
    return { refused: code ?? "not refused", message };
  }
}

export const fileTools = {
  work_files: defineTool("Works on files", z.object({ name: z.string() }), async (state: ThreadState, { name }) => ({
    status: "success",
    result: JSON.stringify(await done(name, state)),
  })),
};

const endpoint = defineThreadEndpoint(async (request, state) =>
  Response.json(await done(new URL(request.url).searchParams.get("name") ?? "", state)),
);

export const fileRoutes: RouteEntry[] = [
  {
    method: "POST",
    pattern: "/threads/:id/work-files",
    params: ["id"],
    file: "work-files",
    kind: "thread",
    load: () => Promise.resolve(endpoint),
  },
];

export const filePrompts = [
  definePrompt({
    name: "filer",
    toolDescription: "filer",
    prompt: "You file.",
    model: "scripted",
    includeChat: true,
    tools: ["work_files"],
  }),
];

export const fileAgents = [defineAgent({ name: "filer", sideA: { prompt: "filer" } })];
