// Uses a thread's files through its state: a test registers a function under a name; a tool calls it in a run, and an
// endpoint calls it in an idle thread.

import { z } from "zod";

import { defineAgent, definePrompt, defineThreadEndpoint, defineTool } from "#spec/index.ts";
import type { RouteEntry, ThreadState } from "#spec/index.ts";
import type { FileSettings } from "#thread/deployment.ts";

/** File settings for thread objects that are created from now on, in place of the deployment's. */
export const fileSettings: Partial<FileSettings> = {};

/** The registered functions by name. */
export const fileFunctions = new Map<string, (state: ThreadState) => Promise<unknown>>();

/** Calls a function. An error becomes its message. */
async function done(name: string, state: ThreadState): Promise<unknown> {
  try {
    return (await fileFunctions.get(name)?.(state)) ?? null;
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
