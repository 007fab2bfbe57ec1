// What the dev command reads itself and what it leaves to wrangler.

import { expect, it } from "vitest";

import { parseDevArguments } from "../../scripts/lib/dev-arguments.mjs";

it("The arguments of the dev command have defaults", () => {
  expect(parseDevArguments([], "/project")).toEqual({
    help: false,
    json: false,
    inspect: false,
    port: undefined,
    stateFolder: "/project/.wrangler/state",
    ip: undefined,
    config: undefined,
    variables: [],
    rest: [],
  });
});

it("An option of the dev command has its value after a space or an equals sign, and the state folder becomes an absolute path", () => {
  expect(parseDevArguments(["--port", "8790", "--persist-to", "here"], "/project")).toMatchObject({
    port: 8790,
    stateFolder: "/project/here",
  });
  expect(parseDevArguments(["--port=8790", "--persist-to=/there"], "/project")).toMatchObject({
    port: 8790,
    stateFolder: "/there",
  });
});

it("The dev command passes all other arguments to wrangler, in order", () => {
  const args = ["--var", "A:1:2", "--port", "1", "--test-scheduled", "--var=B:", "--log-level=debug", "--json"];
  const parsed = parseDevArguments(args, "/project");
  expect(parsed).toMatchObject({ rest: ["--test-scheduled", "--log-level=debug"], json: true, inspect: false });
  expect(parsed.variables).toEqual([
    ["A", "1:2"],
    ["B", ""],
  ]);
});

it("The dev command resolves the path of a configuration file against the working folder", () => {
  expect(parseDevArguments(["-c", "other.toml"], "/project").config).toBe("/project/other.toml");
});

it.each([
  [["--port"]],
  [["--port", "http"]],
  [["--port", "0"]],
  [["--port=70000"]],
  [["--persist-to="]],
  [["--var", "A"]],
])("The arguments %j of the dev command are refused", (args) => {
  expect(() => parseDevArguments(args, "/project")).toThrow();
});
