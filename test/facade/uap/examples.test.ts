// Every program of UAP's document, in TypeScript, over a local server that speaks Anthropic's protocol. test/package runs the same programs
// from the packed package, in Node and in a Worker.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { everyExample } from "../../../examples/uap/every-example.ts";
import { startLocalServer } from "../../../examples/uap/local-server.ts";
import { answerFrom } from "../../../examples/uap/stand-ins.ts";
import { portableOutcomes } from "../../support/uap-outcomes.ts";
import { requestProblems } from "../../support/wire-rules/request-problems.mjs";

const problems: string[] = [];
let requests = 0;
let server: Awaited<ReturnType<typeof startLocalServer>>;

beforeAll(async () => {
  server = await startLocalServer((body) => {
    requests += 1;
    problems.push(...requestProblems("anthropic", body));
  });
  answerFrom(server.url);
});

afterAll(() => server.close());

describe("the examples of UAP", () => {
  it("Every example has an expected outcome", () => {
    expect(Object.keys(everyExample)).toEqual(Object.keys(portableOutcomes));
  });

  it.each(Object.entries(portableOutcomes))(
    "The example of section %s has the outcome that UAP's document describes",
    async (name, outcome) => {
      expect(await everyExample[name]?.()).toEqual(outcome);
    },
  );

  it("The requests of all examples break no rule of their protocol", () => {
    expect(problems).toEqual([]);
    expect(requests).toBeGreaterThan(20);
  });
});
