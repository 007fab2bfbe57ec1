// What the dev command reads itself and what it leaves to wrangler.

import { expect, it } from "vitest";

import { parseDevArguments } from "../../scripts/lib/dev-arguments.mjs";

it("has defaults", () => {
  expect(parseDevArguments([], "/project")).toEqual({
    help: false,
    port: undefined,
    stateFolder: "/project/.wrangler/state",
    ip: undefined,
    shared: [],
    rest: [],
  });
});

it("reads both spellings and resolves the state folder once", () => {
  expect(parseDevArguments(["--port", "8790", "--persist-to", "here"], "/project")).toMatchObject({
    port: 8790,
    stateFolder: "/project/here",
  });
  expect(parseDevArguments(["--port=8790", "--persist-to=/there"], "/project")).toMatchObject({
    port: 8790,
    stateFolder: "/there",
  });
});

it("leaves everything else to wrangler, in order", () => {
  const parsed = parseDevArguments(["--var", "A:1", "--port", "1", "--var", "B:2", "--log-level=debug"], "/project");
  expect(parsed.rest).toEqual(["--var", "A:1", "--var", "B:2", "--log-level=debug"]);
});

it("gives another configuration to every wrangler command", () => {
  expect(parseDevArguments(["-c", "other.jsonc"], "/project").shared).toEqual(["--config", "/project/other.jsonc"]);
});

it.each([[["--port"]], [["--port", "http"]], [["--port", "0"]], [["--port=70000"]], [["--persist-to="]]])(
  "refuses %j",
  (args) => {
    expect(() => parseDevArguments(args, "/project")).toThrow();
  },
);
