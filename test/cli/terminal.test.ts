// Questions at a terminal.

import { PassThrough } from "node:stream";

import { expect, it } from "vitest";

import { terminalOn } from "#cli/terminal.ts";

function typed(...lines: string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.write(lines.map((line) => `${line}\r`).join(""));
  return { input, terminal: terminalOn({ input, output }), shown: () => String(output.read() ?? "") };
}

it("A question is shown at the terminal, and its answer is returned without the spaces around it", async () => {
  const { terminal, shown } = typed(" yes ");
  expect(await terminal.ask("Deploy? ")).toBe("yes");
  expect(shown()).toContain("Deploy?");
});

it("A hidden answer is not shown, and the next question starts on a new line", async () => {
  const { terminal, shown } = typed("a-hidden-answer");
  expect(await terminal.askHidden("API_TOKENS: ")).toBe("a-hidden-answer");
  const output = shown();
  expect([output.startsWith("API_TOKENS: "), output.endsWith("\n"), output.includes("hidden")]).toEqual([
    true,
    true,
    false,
  ]);
});

it("The end of the input and Ctrl-C end a question with an error", async () => {
  const closed = typed();
  const question = closed.terminal.ask("Deploy? ");
  closed.input.end();
  await expect(question).rejects.toThrow("The input ended");
  const interrupted = typed();
  const other = interrupted.terminal.askHidden("API_TOKENS: ");
  interrupted.input.write("\u0003");
  await expect(other).rejects.toThrow("interrupted");
});
