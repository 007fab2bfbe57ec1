// The questions of `create-threadhold` on a terminal.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { parseEnv } from "node:util";

import { afterAll, beforeEach, describe, expect, it } from "vitest";

import { runCreate } from "../../packages/create-threadhold/src/create-command.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "create-questions-"));
let [cwd, runs] = ["", 0];

beforeEach(() => {
  cwd = path.join(scratch, String(runs++));
  mkdirSync(cwd);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A stream that a program reads or writes, as a terminal if `isTTY`. */
const stream = (isTTY: boolean): PassThrough & { isTTY: boolean } => Object.assign(new PassThrough(), { isTTY });
const read = (file: string): string => readFileSync(path.join(cwd, file), "utf8");

describe("create-threadhold on a terminal", () => {
  const enter = "\r";
  const down = "\u001B[B";
  const backspace = "\u007F";

  /** Runs the command on a terminal and types a text at each question. */
  async function dialog(
    args: readonly string[],
    typed: [question: string, keys: string][],
    env: NodeJS.ProcessEnv = {},
  ) {
    const [input, output, errors] = [stream(true), stream(true), stream(false)];
    Object.assign(input, { setRawMode: () => input });
    let shown = "";
    const open = [...typed];
    output.on("data", (chunk: Buffer) => {
      shown += chunk.toString("utf8");
      const [question, keys] = open[0] ?? [];
      if (question === undefined || !shown.includes(question)) return;
      open.shift();
      setImmediate(() => input.write(keys));
    });
    const code = await runCreate(args, { cwd, env: { PATH: process.env["PATH"], ...env }, input, output, errors });
    return { code, shown, errors: String(errors.read() ?? "") };
  }

  it("The command create-threadhold asks on a terminal for the name, the template and the provider", async () => {
    const { code } = await dialog(
      ["--no-install", "--no-git"],
      [
        ["What is the name of the project?", `shop${enter}`],
        ["Which template?", `${down}${enter}`],
        ["Which provider", `${down}${enter}`],
        ["ANTHROPIC_API_KEY, the key of the model's provider (Enter leaves it out)", enter],
      ],
    );
    expect(code).toBe(0);
    expect(read("shop/.dev.vars")).toContain("\nANTHROPIC_API_KEY=\n");
    expect(existsSync(path.join(cwd, "shop/agents/tools/remember.ts"))).toBe(true);
    expect(read("shop/agents/models/default.ts")).toContain('provider: "anthropic"');
  });

  it("The command create-threadhold asks only for what its command line does not name", async () => {
    const { code, shown } = await dialog(
      ["shop", "--template", "team", "--no-install", "--no-git"],
      [["Which provider", enter]],
    );
    expect(code).toBe(0);
    expect(shown).not.toContain("Which template?");
    expect(existsSync(path.join(cwd, "shop/agents/agents/front_desk.ts"))).toBe(true);
  });

  it("The command create-threadhold asks for the variables of a cloud in their order, shows no secret, and writes the values to .dev.vars alone", async () => {
    const { code, shown } = await dialog(
      ["shop", "--provider", "bedrock", "--no-install", "--no-git"],
      [
        ["Which template?", enter],
        ["AWS_BEARER_TOKEN_BEDROCK, an API key", `bedrock-api-key-Zm9v==${enter}`],
        ["AWS_REGION, the region", `eu-central-1${enter}`],
      ],
    );
    expect(code).toBe(0);
    expect(parseEnv(read("shop/.dev.vars"))).toEqual({
      OPEN_LOOPBACK: "true",
      AWS_BEARER_TOKEN_BEDROCK: "bedrock-api-key-Zm9v==",
      AWS_REGION: "eu-central-1",
    });
    expect(shown).toContain("eu-central-1");
    expect(shown).not.toContain("Zm9v");
    expect(shown).not.toContain("write into .dev.vars");
    const entries = readdirSync(path.join(cwd, "shop"), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
    const withValues = files.filter((file) => /Zm9v|=eu-central-1/.test(readFileSync(file, "utf8")));
    expect(withValues).toEqual([path.join(cwd, "shop/.dev.vars")]);
  });

  it("The command create-threadhold asks again for a value that a line of .dev.vars would change, and names the variables without a value", async () => {
    const { code, shown } = await dialog(
      ["shop", "--provider", "azure", "--no-install", "--no-git"],
      [
        ["Which template?", enter],
        ["AZURE_API_KEY, a key", enter],
        ["AZURE_RESOURCE_NAME, the name", `team #1${enter}`],
        ["The value has a space", `${backspace.repeat(3)}${enter}`],
      ],
    );
    expect(code).toBe(0);
    expect(parseEnv(read("shop/.dev.vars"))).toMatchObject({ AZURE_API_KEY: "", AZURE_RESOURCE_NAME: "team" });
    expect(shown).toContain("write into .dev.vars: AZURE_API_KEY=…\n");
  });

  it("The command create-threadhold asks for no value if its command line names the folder, the template and the provider", async () => {
    const { code, shown } = await dialog(
      ["shop", "--template", "blank", "--provider", "azure", "--no-install", "--no-git"],
      [],
    );
    expect(code).toBe(0);
    expect(shown).toContain("write into .dev.vars: AZURE_API_KEY=…, AZURE_RESOURCE_NAME=…\n");
  });

  it("Ctrl-C during a question of create-threadhold ends the command, and nothing is written", async () => {
    const { code, errors } = await dialog(["--no-install"], [["What is the name of the project?", "\u0003"]]);
    expect({ code, errors }).toEqual({ code: 2, errors: "Nothing was created.\n" });
    expect(readdirSync(cwd)).toEqual([]);
  });
});
