// The options that the command dev reads, and those that it leaves to wrangler.

import { Command } from "commander";
import { expect, it } from "vitest";

import { configureDevCommand, type DevOptions } from "#cli/dev/dev-command.ts";

/** Reads a command line in the folder /project. */
function readOptions(...args: string[]): DevOptions {
  let read: DevOptions | undefined;
  const command = new Command("dev").exitOverride().configureOutput({ writeErr: () => {} });
  configureDevCommand(command, { cwd: "/project" }, (options) => {
    read = options;
  });
  command.parse(args, { from: "user" });
  if (read === undefined) throw new Error("The command did not run");
  return read;
}

it("The options of the dev command have defaults", () => {
  expect(readOptions()).toEqual({
    root: "/project",
    json: false,
    inspect: false,
    port: undefined,
    stateFolder: undefined,
    ip: undefined,
    config: undefined,
    environment: undefined,
    variables: [],
    rest: [],
  });
});

it("An option of the dev command has its value after a space or an equals sign, and folders become absolute paths", () => {
  expect(readOptions("--port", "8790", "--persist-to", "here")).toMatchObject({
    port: 8790,
    stateFolder: "/project/here",
  });
  expect(readOptions("--port=8790", "--state=/there", "--root", "app")).toMatchObject({
    port: 8790,
    stateFolder: "/there",
    root: "/project/app",
  });
});

it("The dev command passes all other arguments to wrangler, in order", () => {
  const args = ["--var", "A:1:2", "--test-scheduled", "--port", "1", "--inspector-port", "9230", "--var=B:", "--json"];
  const read = readOptions(...args, "--log-level=debug");
  expect(read).toMatchObject({ port: 1, json: true, inspect: false });
  expect(read.rest).toEqual(["--test-scheduled", "--inspector-port", "9230", "--log-level=debug"]);
  expect(read.variables).toEqual([
    ["A", "1:2"],
    ["B", ""],
  ]);
});

it("The dev command resolves the path of a configuration file against the working folder", () => {
  expect(readOptions("-c", "other.toml").config).toBe("/project/other.toml");
});

it.each([
  [["--port"]],
  [["--port", "http"]],
  [["--port", "0"]],
  [["--port=70000"]],
  [["--persist-to="]],
  [["--var", "A"]],
])("The arguments %j of the dev command are refused", (args) => {
  expect(() => readOptions(...args)).toThrow();
});
