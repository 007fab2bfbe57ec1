// Reads a hook file: its function and its name, which is a tag set by `defineHook` or the first element of a pair.

import { closestWord } from "#lib/edit-distance.ts";
import { hookNameOf } from "#spec/define-hook.ts";
import type { AnyHookName } from "#spec/hook.ts";

import { isHookPair } from "./definition-kind.ts";
import type { ReaderContext } from "./definition-reader.ts";
import type { ProjectFile } from "./project-file.ts";

const hookNames = Object.keys({
  filter_messages: true,
  prefilter_llm_history: true,
  before_create_message: true,
  after_create_message: true,
  before_update_message: true,
  after_update_message: true,
  before_store_tool_result: true,
  after_tool_call_success: true,
  after_tool_call_failure: true,
  before_loop: true,
  after_loop: true,
  before_turn: true,
  after_turn: true,
  on_error: true,
  before_tool_execution: true,
  after_tool_execution: true,
  before_tool_execution_update: true,
  after_tool_execution_update: true,
  transform_context: true,
  convert_to_llm: true,
} satisfies Record<AnyHookName, true>);

/** Adds a hook to the project under its name. */
export function readHook(file: ProjectFile, value: unknown, { project, findings }: ReaderContext): void {
  const pair = isHookPair(value);
  const name = pair ? value[0] : (hookNameOf(value) ?? "");
  if (!isHookName(name)) {
    findings.error({
      code: "unknown_hook",
      file: file.file,
      path: [pair ? 0 : "argument:0"],
      message: `unknown hook "${name}"`,
      suggestion: closestWord(name, hookNames),
      notes: [`hooks: ${hookNames.join(", ")}`],
    });
    return;
  }
  project.hooks.push({ hook: name, file: file.file, pair });
}

function isHookName(name: string): name is AnyHookName {
  return hookNames.includes(name);
}
