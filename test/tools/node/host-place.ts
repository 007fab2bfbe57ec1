// A temporary folder of this machine, and the coding tools over it.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { onTestFinished } from "vitest";

import { hostCodingTools } from "#tools/node/index.ts";
import type { HostCodingOptions, NodeTool } from "#tools/node/index.ts";

/** Creates a folder that is deleted after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "threadhold-tools-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Calls a tool as `llm()` does. */
export function callTool(
  tools: readonly NodeTool[],
  name: string,
  params: Record<string, unknown>,
  signal: AbortSignal = new AbortController().signal,
): Promise<unknown> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool.run(params, { toolCallId: "call-1", signal });
}

/** A folder with a tool for each name. */
export function hostPlace(bash: HostCodingOptions["bash"] = false) {
  const root = temporaryFolder();
  const tools = hostCodingTools({ root, bash });
  return {
    root,
    tools,
    put: (name: string, content: string | Uint8Array) => {
      const at = path.join(root, name);
      mkdirSync(path.dirname(at), { recursive: true });
      writeFileSync(at, content);
    },
    read: (name: string) => readFileSync(path.join(root, name), "utf8"),
    /** The text that the model reads. */
    text: async (name: string, params: Record<string, unknown>) =>
      callTool(tools, name, params).then(String, (thrown: unknown) => `Error: ${(thrown as Error).message}`),
  };
}

/** Whether a process exists and is not only waiting to be removed by its parent. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
