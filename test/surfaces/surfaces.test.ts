// One conversation through the five surfaces of the package: `llm()`, `agent()`, `BasicAgent`, `createSession` and a thread. Their outcomes are
// equal in a normal form, except for the differences of a table.

import { describe, expect, inject, it } from "vitest";

import { consulting, of, toolMessage } from "../thread/consult-driver.ts";
import { converse } from "../thread/thread-driver.ts";
import { differences, expectedBy } from "./difference.ts";
import { expectedOf } from "./expected.ts";
import { librarySurfaces } from "./library-surface.ts";
import { surfaceNames } from "./normal-form.ts";
import { outcomeOf } from "./outcome.ts";
import { scenarios } from "./scenario.ts";
import { runThread } from "./thread-surface.ts";

const surfaces = { ...librarySurfaces, thread: runThread };

const records = import.meta.glob("../../docs/decisions/*.md", { query: "?raw", import: "default", eager: true });

const conversations = scenarios.flatMap((scenario) =>
  surfaceNames.map((surface) => [scenario.name, surface, scenario] as const),
);

/** The surfaces with the option `in`. */
const inTools: readonly string[] = ["upp", "agents", "loop"];

/** The tokens of the case `tool-call`, of which `llm()` requests one more at its limit. */
const tokensOfCall = 77;

describe("five surfaces", () => {
  it.each(conversations)(
    "The conversation with %s has the outcome of a thread also through %s, except for the listed differences",
    async (_name, surface, scenario) => {
      expect(await outcomeOf(surfaces[surface], scenario, inject("modelServer"))).toEqual(
        expectedBy(surface, scenario),
      );
    },
  );

  it.each(conversations.filter(([, surface]) => inTools.includes(surface)))(
    "The conversation with %s has the same outcome through %s in the tool of a thread, and the thread's run counts its tokens",
    async (_name, surface, scenario) => {
      const { id, text } = await consulting(async (state) => {
        const run: typeof runThread = (given, served) => surfaces[surface](given, { ...served, in: state });
        return JSON.stringify(await outcomeOf(run, scenario, inject("modelServer")));
      });
      const [end] = of(await converse(id, text), "run_end");
      const outcome = expectedBy(surface, scenario);
      expect(JSON.parse((await toolMessage(id))?.content ?? "null")).toEqual(outcome);
      // A turn that fails reports no tokens; they count nevertheless. The model of the thread itself uses four.
      const { total } = outcome.usage ?? expectedOf(scenario).usage ?? { total: 0 };
      const further = outcome.requests.length - expectedOf(scenario).requests.length;
      expect(end?.usage.total_tokens).toBe(4 + total + further * tokensOfCall);
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
