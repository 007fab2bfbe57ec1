// An agent with the built-in coding tools, as the compiler registers them for a prompt that lists their names.

import { defineAgent, definePrompt } from "#spec/index.ts";
import { bash } from "#tools/bash/index.ts";
import * as files from "#tools/files/index.ts";
import { fetchUrl } from "#tools/web/index.ts";

export const codingBuiltIns = {
  bash,
  read_file: files.readFile,
  write_file: files.writeFile,
  edit_file: files.editFile,
  list_files: files.listFiles,
  search: files.search,
  fetch_url: fetchUrl,
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
];

export const codingAgents = [defineAgent({ name: "coder", sideA: { prompt: "coder" } })];
