// Which environments share an application of a Worker.

import { expect, it } from "vitest";

import { byEnvironment } from "#worker/by-environment.ts";

interface Env {
  DB: string;
}

it("MOUNT6 Objects that inherit their entries share no application, whatever they inherit", () => {
  const appOf = byEnvironment(
    (env: Env) => env.DB,
    () => {},
  );
  const inherited = (DB: string): Env => Object.create({ DB }) as Env;
  expect([appOf(inherited("a")), appOf(inherited("b"))]).toEqual(["a", "b"]);
});

it("MOUNT6 An env that the Worker changes later does not lend its application to others", () => {
  const appOf = byEnvironment(
    (env: Env) => env.DB,
    () => {},
  );
  const first: Env = { DB: "a" };
  expect(appOf(first)).toBe("a");
  first.DB = "b";
  expect(appOf({ DB: "b" })).toBe("b");
  expect(appOf({ DB: "a" })).toBe("a");
});
