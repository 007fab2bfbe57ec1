// Elements of a growing list that are converted once.

import fc from "fast-check";
import { expect, it } from "vitest";

import { ListMemo } from "#lib/list-memo.ts";

interface Numbered {
  is: number;
}

it("A list memo converts only the elements that differ from those at the same index in the call before", () => {
  const converted: number[] = [];
  const convert = ({ is }: Numbered) => {
    converted.push(is);
    return { twice: is * 2 };
  };
  const [one, two, three, other] = [{ is: 1 }, { is: 2 }, { is: 3 }, { is: 4 }];
  const memo = new ListMemo<Numbered, { twice: number }>();
  const first = memo.map([one, two], convert);
  const second = memo.map([one, two, three], convert);
  expect(converted).toEqual([1, 2, 3]);
  expect([second[0] === first[0], second[1] === first[1], second[2]]).toEqual([true, true, { twice: 6 }]);
  expect(memo.map([one, other], convert)).toEqual([{ twice: 2 }, { twice: 8 }]);
  // The memo has the elements of the last call alone, so it does not grow.
  memo.map([one, two, three], convert);
  expect(converted).toEqual([1, 2, 3, 4, 2, 3]);
});

it("A list memo returns the same as a separate conversion of each list, whatever lists it converted before", () => {
  const pool = Array.from({ length: 5 }, (_, is): Numbered => ({ is }));
  const lists = fc.array(fc.array(fc.constantFrom(...pool), { maxLength: 6 }), { maxLength: 8 });
  fc.assert(
    fc.property(lists, (all) => {
      const memo = new ListMemo<Numbered, number>();
      for (const list of all) expect(memo.map(list, ({ is }) => is + 1)).toEqual(list.map(({ is }) => is + 1));
    }),
  );
});
