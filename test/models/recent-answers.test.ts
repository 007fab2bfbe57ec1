// The count of the answers that are read at a time.

import { expect, it } from "vitest";

import { RecentAnswers } from "#models/recent-answers.ts";

it("An answer counts as being read until it ends, or for a second after its last delta", () => {
  const answers = new RecentAnswers();
  const [one, two, three] = [{}, {}, {}];
  expect([answers.count(one, 0), answers.count(two, 500), answers.count(one, 900)]).toEqual([1, 2, 2]);
  expect(answers.count(three, 1500)).toBe(3);
  expect(answers.count(three, 1501)).toBe(2);
  answers.delete(one);
  expect(answers.count(three, 1502)).toBe(1);
});

it("A count of the answers that are being read visits no answer that stays", () => {
  const answers = new RecentAnswers();
  const all = Array.from({ length: 300 }, () => ({}));
  const iterator = Map.prototype[Symbol.iterator];
  let visited = 0;
  Map.prototype[Symbol.iterator] = function* (this: Map<unknown, unknown>) {
    for (const entry of { [Symbol.iterator]: () => iterator.call(this) }) {
      visited += 1;
      yield entry;
    }
    return undefined;
  };
  try {
    for (let round = 0; round < 3; round += 1) for (const answer of all) answers.count(answer, round);
  } finally {
    Map.prototype[Symbol.iterator] = iterator;
  }
  expect(answers.count(all[0] ?? {}, 3)).toBe(300);
  // One visit for each count. To visit all answers at each count would be 225,000 visits.
  expect(visited).toBeLessThanOrEqual(900);
});
