import { expect, it } from "vitest";

import { checkFloors } from "../../scripts/lib/floors.mjs";

const layer = "src/house";
const rooms = ["ground.ts", "cellar", "roof"];
const files = new Map([
  ["src/house/ground.ts", []],
  ["src/house/cellar/one.ts", ["src/house/ground.ts", "src/house/cellar/two.ts", "src/other/roof.ts"]],
  ["src/house/cellar/two.ts", []],
  ["src/house/roof/one.ts", ["src/house/cellar/one.ts"]],
  ["src/other/roof.ts", ["src/house/roof/one.ts"]],
]);

it("Imports of lower rooms, of the own room and of other layers go up no floor", () => {
  expect(checkFloors({ layer, most: 0, rooms }, files)).toEqual({ upward: [], problems: [] });
});

it("Imports of a higher room are one arrow for each pair of rooms, and more than the layer may have are a problem", () => {
  const up = new Map([
    ...files,
    ["src/house/cellar/one.ts", ["src/house/roof/one.ts"]],
    ["src/house/cellar/two.ts", ["src/house/roof/one.ts"]],
  ]);
  const upward = ["src/house: cellar → roof (cellar/one.ts → roof/one.ts, cellar/two.ts → roof/one.ts)"];
  expect(checkFloors({ layer, most: 1, rooms }, up)).toEqual({ upward, problems: [] });
  expect(checkFloors({ layer, most: 0, rooms }, up)).toEqual({
    upward,
    problems: ["src/house: 1 imports go up, of at most 0"],
  });
});

it("A room without a floor, a floor without a room and a bound above the count are problems", () => {
  const place = "`rooms` in scripts/lib/floors.mjs";
  const { problems } = checkFloors({ layer, most: 1, rooms: ["ground.ts", "cellar", "tower"] }, files);
  expect(problems).toEqual([
    `src/house/roof has no floor: add it to ${place}`,
    `src/house/tower is gone: remove it from ${place}`,
    `src/house: 0 imports go up: lower \`most\` in scripts/lib/floors.mjs`,
  ]);
});
