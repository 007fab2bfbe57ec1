// One conversation through the five surfaces of the package: `llm()`, `agent()`, `BasicAgent`, `createSession` and a thread. Their outcomes are
// equal in a normal form, except for the differences of a table.

import { describe, expect, it } from "vitest";

import { differences } from "./difference.ts";
import { expectedOf } from "./expected.ts";
import { scenarios } from "./scenario.ts";
import { outcomeOf, surfaceNames } from "./surface.ts";

const records = import.meta.glob("../../docs/decisions/*.md", { query: "?raw", import: "default", eager: true });

const conversations = scenarios.flatMap((scenario) =>
  surfaceNames.map((surface) => [scenario.name, surface, scenario] as const),
);

describe("five surfaces", () => {
  it.each(conversations)(
    "The conversation with %s has the outcome of a thread also through %s, except for the listed differences",
    async (_name, surface, scenario) => {
      const own = differences.filter((one) => one.surface === surface && one.scenario === scenario.name);
      const changed = Object.fromEntries(own.map(({ field, expected }) => [field, expected]));
      expect(await outcomeOf(surface, scenario)).toEqual({ ...expectedOf(scenario), ...changed });
    },
  );

  it("Each listed difference is listed once, is one, and has a decision that its record states", () => {
    const problems = differences.flatMap(({ surface, scenario: name, field, expected, decision }) => {
      const at = `${surface}, ${name}, ${field}`;
      const scenario = scenarios.find((one) => one.name === name);
      if (scenario === undefined) return [`${at}: there is no such scenario`];
      const same = differences.filter((one) => one.surface === surface && one.scenario === name && one.field === field);
      return [
        ...(same.length > 1 ? [`${at}: listed ${same.length} times`] : []),
        ...(JSON.stringify(expectedOf(scenario)[field]) === JSON.stringify(expected) ? [`${at}: no difference`] : []),
        ...(records[`../../${decision.record}`]?.includes(decision.statement) === true
          ? []
          : [`${at}: ${decision.record} does not state "${decision.statement}"`]),
        ...(surface === "thread" ? [`${at}: the outcome of a thread is the common one`] : []),
      ];
    });
    expect(problems).toEqual([]);
  });
});
