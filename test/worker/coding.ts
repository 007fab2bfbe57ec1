// An agent with the built-in coding tools, as the compiler registers them for a prompt that lists their names, and one whose tools need an
// approval or reach their time limit.

import { defineAgent, definePrompt } from "#spec/index.ts";
import { bash, createBashTool } from "#tools/bash/index.ts";
import * as files from "#tools/files/index.ts";
import { threadWorkspace } from "#tools/files/workspace.ts";
import type { OpenWorkspace, Workspace } from "#tools/files/workspace.ts";
import { createFetchUrlTool, fetchUrl } from "#tools/web/index.ts";

export const codingBuiltIns = {
  bash,
  read_file: files.readFile,
  write_file: files.writeFile,
  edit_file: files.editFile,
  list_files: files.listFiles,
  search: files.search,
  fetch_url: fetchUrl,
};

/** Waits until the signal of a list or a search is aborted. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

/** The files of the thread, whose lists and searches do not end before their time limit. */
const slowWorkspace: OpenWorkspace = (state): Workspace =>
  Object.assign(Object.create(threadWorkspace(state)) as Workspace, {
    list: ({ signal }: { signal: AbortSignal }) => untilAborted(signal),
    search: (_pattern: string, { signal }: { signal: AbortSignal }) => untilAborted(signal),
  });

const timeoutMs = 200;

export const limitedTools = {
  bash_approved: createBashTool({ needsApproval: () => true }),
  fetch_approved: createFetchUrlTool({ needsApproval: () => true }),
  bash_brief: createBashTool({ timeoutMs }),
  fetch_brief: createFetchUrlTool({ timeoutMs }),
  list_brief: files.createListFilesTool({ workspace: slowWorkspace, timeoutMs }),
  search_brief: files.createSearchTool({ workspace: slowWorkspace, timeoutMs }),
};

export const codingPrompts = [
  definePrompt({
    name: "coder",
    toolDescription: "coder",
    prompt: "You write code.",
    model: "scripted",
    includeChat: true,
    tools: Object.keys(codingBuiltIns),
  }),
  definePrompt({
    name: "coder-limited",
    toolDescription: "coder-limited",
    prompt: "You write code.",
    model: "scripted",
    includeChat: true,
    tools: Object.keys(limitedTools),
  }),
];

export const codingAgents = codingPrompts.map(({ name }) => defineAgent({ name, sideA: { prompt: name } }));
