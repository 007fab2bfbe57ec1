// Tools of other entries in a loop: the coding tools on a folder of this machine.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { convertTool } from "#facade/phi/index.ts";
import type { RunnableTool } from "#facade/phi/index.ts";
import { defaultTools } from "#facade/phi/tools/node/index.ts";
import { hostCodingTools } from "#tools/node/index.ts";

import { play, textsOf } from "./support/play.ts";

const root = mkdtempSync(path.join(tmpdir(), "threadhold-loop-tools-"));
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

const call = (name: string, args = {}) => ({ name, arguments: args });
const plain = (name: string, run: RunnableTool["run"], sequential = false): RunnableTool => ({
  name,
  description: "A tool.",
  parameters: { type: "object" },
  sequential,
  run,
});

describe("converted tools", () => {
  it("The coding tools on a folder are six with distinct names, and a loop calls them on the folder", async () => {
    writeFileSync(path.join(root, "notes.txt"), "one\ntwo\n");
    const tools = hostCodingTools({ root, bash: true }).map(convertTool);
    const names = tools.map((tool) => tool.name());
    expect(new Set(names).size).toBe(6);
    const { returned } = await play({
      answers: [
        {
          tool_calls: [
            call("read_file", { path: "/notes.txt" }),
            call("edit_file", { path: "/notes.txt", old_text: "two", new_text: "three" }),
            call("bash", { command: "cat notes.txt" }),
            call("read_file", { path: "/none.txt" }),
          ],
        },
        { text: "Done." },
      ],
      tools,
    });
    const results = returned.flatMap((message) => (message.role === "toolResult" ? [message] : []));
    expect(results.map(({ is_error }) => is_error)).toEqual([false, false, false, true]);
    expect(textsOf(results)[0]).toContain("two");
    expect(textsOf(results)[2]).toContain("three");
    expect(readFileSync(path.join(root, "notes.txt"), "utf8")).toBe("one\nthree\n");
  });

  it("defaultTools returns the six coding tools on a folder", async () => {
    writeFileSync(path.join(root, "default.txt"), "text of the file\n");
    const tools = defaultTools({ root });
    const names = ["bash", "edit_file", "list_files", "read_file", "search", "write_file"];
    expect(tools.map((tool) => tool.name()).toSorted()).toEqual(names);
    const answers = [{ tool_calls: [call("search", { pattern: "text of" })] }, { text: "Done." }];
    const { returned } = await play({ answers, tools });
    expect(textsOf(returned).find((text) => text.startsWith("toolResult"))).toContain("default.txt");
  });

  it("A call of a sequential tool runs alone, also in the mode Parallel", async () => {
    let running = 0;
    let most = 0;
    const run = async (): Promise<string> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return "done";
    };
    for (const [sequential, expected] of [[true, 1] as const, [false, 3] as const]) {
      most = 0;
      await play({
        answers: [{ tool_calls: [call("a"), call("a"), call("a")] }, { text: "Done." }],
        tools: [convertTool(plain("a", run, sequential))],
      });
      expect(most).toBe(expected);
    }
  });

  it("Texts, images and values of a tool reach the result, other files are named, and a tool that returns nothing failed", async () => {
    const blocks = [
      { type: "text", text: "seen" },
      { type: "image", source: { type: "base64", data: "AAAA" }, mimeType: "image/png" },
      { type: "document", source: { type: "base64", data: "AAAA" }, mimeType: "application/pdf", title: "a.pdf" },
    ];
    const { returned } = await play({
      answers: [{ tool_calls: [call("blocks"), call("value"), call("none")] }, { text: "Done." }],
      tools: [
        plain("blocks", () => ({ content: blocks })),
        plain("value", () => ({ sum: 3 })),
        plain("none", () => undefined),
      ].map(convertTool),
    });
    const results = returned.flatMap((message) => (message.role === "toolResult" ? [message] : []));
    expect(results[0]?.content).toEqual([
      { type: "text", text: "seen" },
      { type: "image", data: "AAAA", mime_type: "image/png" },
      { type: "text", text: "[A file that cannot be shown: a.pdf]" },
    ]);
    expect(textsOf(results)[1]).toBe('toolResult: {"sum":3}');
    expect(textsOf(results)[2]).toContain("returned nothing");
    expect(results[2]?.is_error).toBe(true);
  });
});
