// The file of secrets of `threadhold deploy`. Its errors never contain a value.

import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { readSecretsFile } from "#cli/deploy/secret-values.ts";

import { writeProject } from "../compiler/temporary-project.ts";

const secrets = (text: string): Record<string, string> =>
  readSecretsFile(join(writeProject({ "secrets.env": text }), "secrets.env"));

describe("a file of secrets", () => {
  it("A file of secrets has lines NAME=value or an object in JSON", () => {
    expect(secrets('# keys\nA_KEY="with = and # inside"\nB_KEY=plain\n')).toEqual({
      A_KEY: "with = and # inside",
      B_KEY: "plain",
    });
    expect(secrets('{ "A_KEY": "one", "B_KEY": "two" }')).toEqual({ A_KEY: "one", B_KEY: "two" });
  });

  it("A value in quotes in a file of secrets may have several lines, and a comment may follow it", () => {
    expect(secrets("export A_KEY=\"one\ntwo\" # both\r\n\r\nB_KEY='x'\r\n")).toEqual({ A_KEY: "one\ntwo", B_KEY: "x" });
  });

  it("A byte order mark at the start of a file of secrets does not become part of the first name", () => {
    expect(secrets("\uFEFFA_KEY=one\n")).toEqual({ A_KEY: "one" });
    expect(secrets('\uFEFF{ "A_KEY": "one" }')).toEqual({ A_KEY: "one" });
  });

  it.each([
    ["an entry without a value", "HIDDEN=value\nA_KEY=\n", "A_KEY of the file of secrets"],
    ["an entry that is no text", '{ "HIDDEN": "value", "A_KEY": 7 }', "A_KEY of the file of secrets"],
    ["an incomplete object", '{ "HIDDEN": "value', "is no JSON"],
    ["a line without =", "A_KEY=value\nB_KEY value\n", "Line 2 of the file of secrets"],
    ["a value that goes on without quotes", "A_KEY=value\nmore of it\n", "Line 2 of the file of secrets"],
    ["no entry", "# HIDDEN=value\n", "has no entry"],
  ])("A file of secrets with %s is refused with an error that does not contain its values", (_, text, reason) => {
    const refusal = (): unknown => secrets(text);
    expect(refusal).toThrow(reason);
    expect(refusal).not.toThrow("value\n");
    expect(refusal).not.toThrow('"value');
  });

  it("The error for a missing file of secrets names the file", () => {
    expect(() => readSecretsFile("/gone/secrets.env")).toThrow("/gone/secrets.env");
  });
});
