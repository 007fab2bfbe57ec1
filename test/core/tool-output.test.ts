// The end of a tool's function, which its caller is notified of.

import { expect, it } from "vitest";

import { noFaults } from "#core/ports/faults.ts";
import { toolOutput } from "#core/tools/tool-output.ts";

async function* twoParts() {
  yield { type: "delta" as const, delta: "a" };
  yield { type: "delta" as const, delta: "b" };
}

const kinds: [kind: string, work: () => unknown][] = [
  ["returns a promise", () => Promise.resolve({ status: "success" })],
  ["returns nothing", () => undefined],
  ["returns a stream", twoParts],
  [
    "throws at once",
    () => {
      throw new Error("broken");
    },
  ],
  ["rejects", () => Promise.reject(new Error("broken"))],
];

it.each(kinds)("The end of a tool's function that %s is reported once, after the last piece", async (_, work) => {
  const order: string[] = [];
  const pieces = toolOutput(
    work,
    { id: "c1", attempt: 1, signal: new AbortController().signal },
    {
      faults: noFaults,
      onEnd: () => order.push("end"),
    },
  );
  try {
    for await (const piece of pieces) order.push(piece.type);
  } catch (error) {
    expect(error).toEqual(new Error("broken"));
  }
  expect([order.filter((one) => one === "end"), order.at(-1)]).toEqual([["end"], "end"]);
});

it("The end of a stream that is not read to its end is reported when it is closed", async () => {
  let ends = 0;
  const pieces = toolOutput(
    twoParts,
    { id: "c1", attempt: 1, signal: new AbortController().signal },
    {
      faults: noFaults,
      onEnd: () => (ends += 1),
    },
  );
  await pieces.next();
  expect(ends).toBe(0);
  await pieces.return(undefined);
  expect(ends).toBe(1);
});
