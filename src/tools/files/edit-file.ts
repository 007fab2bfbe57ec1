// The tool `edit_file`: replaces one part of a text file. The part must occur exactly once, so that no other
// occurrence is changed by mistake.

import { z } from "zod";

import { defineTool } from "#spec/index.ts";
import type { ReconcileAnswer, ToolResult } from "#spec/index.ts";

import { failed, linesOf, textOf } from "./file-text.ts";
import { threadWorkspace } from "./workspace.ts";
import type { OpenWorkspace, Workspace, WorkspaceFile } from "./workspace.ts";

/** Options of `edit_file`. */
export interface EditFileOptions {
  /** The maximum number of bytes of a file that is edited. Default 8 MiB. */
  maxBytes?: number;
  /** The files to work on. Default: those of the thread. */
  workspace?: OpenWorkspace;
}

const args = z.object({
  path: z.string().min(1).describe("Path of the file"),
  old_text: z.string().min(1).describe("The text to replace, exactly as it is in the file. It must occur exactly once"),
  new_text: z.string().describe("The text that replaces it"),
});

type EditArgs = z.infer<typeof args>;

/** The maximum number of occurrences that are counted. */
const mostCounted = 1000;

/** The maximum number of characters of the similar text in an error. */
const hintLimit = 2000;

/** Creates the tool `edit_file`. */
export function createEditFileTool({ maxBytes = 8 * 1024 * 1024, workspace = threadWorkspace }: EditFileOptions = {}) {
  return defineTool(
    "Replaces a part of a text file. Read the file first: old_text must be exactly the text of the file and occur once.",
    args,
    async (state, edit, { id, signal }) => {
      const { path, old_text, new_text } = edit;
      const files = workspace(state);
      signal.throwIfAborted();
      const file = await files.stat(path);
      if (file === null || file.isDirectory) return failed(`Cannot read ${path}. Use write_file to create new files.`);
      if (file.size > maxBytes) return failed(`${path} has ${file.size} bytes, and at most ${maxBytes} are edited.`);
      signal.throwIfAborted();
      const content = await contentOf(files, file, signal);
      const [wanted, replacement] = withLineBreaksOf(content, [old_text, new_text]);
      const count = occurrences(content, wanted);
      if (count === 0) return failed(notFound(path, content, old_text));
      if (count > 1) {
        const shown = count < mostCounted ? count : `at least ${mostCounted}`;
        return failed(`old_text matches ${shown} locations. Include more context to make match unique.`);
      }
      signal.throwIfAborted();
      const text = content.split(wanted).join(replacement);
      await files.write({ path, text, expected: file, callId: id });
      return edited(edit);
    },
    {
      // Sequential: two edits of one file in the same step would replace each other.
      sequential: true,
      reconcile: async (callId, edit, state) => outcomeOf(edit, { callId, maxBytes, files: workspace(state) }),
    },
  );
}

/** The number of positions at which a text occurs, at most `mostCounted`. Occurrences may overlap. */
function occurrences(content: string, text: string): number {
  let count = 0;
  for (let at = content.indexOf(text); at !== -1 && count < mostCounted; at = content.indexOf(text, at + 1)) count += 1;
  return count;
}

/** Reads the whole text of a file. */
async function contentOf(files: Workspace, file: WorkspaceFile, signal: AbortSignal): Promise<string> {
  let content = "";
  for await (const text of textOf(file.path, files.read(file, signal))) content += text;
  return content;
}

/**
 * Returns the outcome of an interrupted edit. If the file was written again after the edit, its metadata no longer names the edit. The edit
 * then runs again only if the text of the file shows that the edit is not in it, so that no edit is made twice.
 */
async function outcomeOf(
  edit: EditArgs,
  { callId, maxBytes, files }: { callId: string; maxBytes: number; files: Workspace },
): Promise<ReconcileAnswer> {
  const { path, old_text, new_text } = edit;
  if (await files.wasWrittenBy(path, callId)) return edited(edit);
  const file = await files.stat(path);
  // The repeated call returns the error of a file that cannot be edited.
  if (file === null || file.isDirectory || file.size > maxBytes) return "not_done";
  const content = await contentOf(files, file, new AbortController().signal);
  const [wanted, replacement] = withLineBreaksOf(content, [old_text, new_text]);
  const isAbsent = replacement !== "" && !content.includes(replacement);
  if (isAbsent || !content.includes(wanted)) return "not_done";
  return failed(
    `The edit of ${path} was interrupted, and it is not known whether it was made. Read the file, and repeat the edit only if it is missing.`,
  );
}

/**
 * Returns the texts with CRLF as line breaks, if the lines of the file end in CRLF and the file does not contain the first text unchanged.
 * `read_file` shows lines without their line breaks, so a model writes LF.
 */
function withLineBreaksOf(content: string, texts: [string, string]): [string, string] {
  if (content.includes(texts[0]) || !content.includes("\r\n")) return texts;
  const [first, second] = texts.map((text) => text.replace(/\r?\n/g, "\r\n"));
  return [first ?? "", second ?? ""];
}

function edited({ path, old_text, new_text }: EditArgs): ToolResult {
  const [old_lines, new_lines] = [linesOf(old_text).length, linesOf(new_text).length];
  return {
    status: "success",
    result: `Replaced ${old_lines} line(s) with ${new_lines} line(s) in ${path}`,
    value: { path, old_lines, new_lines },
  };
}

function notFound(path: string, content: string, text: string): string {
  const similar = findSimilarText(content, text);
  if (similar === undefined) {
    return `old_text not found in ${path}.\n\nTip: Use read_file to see the current content of the file.`;
  }
  return `old_text not found in ${path}.\n\nDid you mean:\n\`\`\`\n${similar}\n\`\`\`\n\nold_text must match exactly, including spaces and line breaks.`;
}

/** Returns the lines of a file from the first one that contains the first line of a text; undefined if no line contains it. */
function findSimilarText(content: string, text: string): string | undefined {
  const wanted = linesOf(text.trim());
  const first = wanted[0]?.trim() ?? "";
  if (first === "") return undefined;
  const lines = linesOf(content);
  const at = lines.findIndex((line) => line.includes(first));
  if (at === -1) return undefined;
  return lines
    .slice(at, at + wanted.length + 1)
    .join("\n")
    .slice(0, hintLimit);
}
