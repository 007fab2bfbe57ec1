// Streams of the Responses API from servers that give all items the same number, or send the events of one call with another number.

import { describe, expect, it } from "vitest";

import { added, answer, call, completed, created, done, type Event } from "./responses-events.ts";

describe("calls of servers that number every item 0", () => {
  const first = { ...call, id: "f1", call_id: "call_1", arguments: "" };
  const second = { ...first, id: "f2", call_id: "call_2" };
  const piece = (item_id: string | null, delta: string): Event => ({
    type: "response.function_call_arguments.delta",
    ...(item_id === null ? {} : { item_id }),
    output_index: 0,
    delta,
  });
  const ends = (item_id: string, text: string): Event => ({
    type: "response.function_call_arguments.done",
    item_id,
    output_index: 0,
    arguments: text,
  });
  const both = [
    { name: "get_time", arguments: '{"x":1}' },
    { name: "get_time", arguments: '{"y":2}' },
  ];
  const closed = [done(0, { ...first, arguments: '{"x":1}' }), done(0, { ...second, arguments: '{"y":2}' })];
  const without = (item: typeof first): object => ({ ...item, call_id: undefined });

  it.for([
    [
      "by turns",
      [
        added(0, first),
        added(0, second),
        piece("f1", '{"x"'),
        piece("f2", '{"y"'),
        piece("f1", ":1}"),
        piece("f2", ":2}"),
        ...closed,
      ],
    ],
    [
      "one after the other",
      [added(0, first), piece("f1", '{"x":1}'), added(0, second), piece("f2", '{"y":2}'), ...closed],
    ],
    ["without ids", [added(0, first), piece(null, '{"x":1}'), added(0, second), piece(null, '{"y":2}'), ...closed]],
    [
      "in their last events",
      [added(0, first), added(0, second), ends("f1", '{"x":1}'), ends("f2", '{"y":2}'), ...closed],
    ],
    ["in their items", [added(0, first), added(0, second), ...closed]],
    [
      "before a repeated end",
      [added(0, first), added(0, second), closed[0], closed[0], piece("f2", '{"y":2}'), closed[1]] as Event[],
    ],
    [
      "without ids of calls",
      [
        added(0, without(first)),
        added(0, without(second)),
        piece("f1", '{"x":1}'),
        piece("f2", '{"y":2}'),
        done(0, without(first)),
        done(0, without(second)),
      ],
    ],
  ] as const)("Two open calls have their own arguments if these arrive %s", async ([, events]) => {
    const read = await answer(created, ...events, completed());
    expect(read).toMatchObject({ calls: both, end: { type: "finish", stop_reason: "tool_calls" } });
  });

  it("An id counts more than the number of another item", async () => {
    const read = await answer(
      created,
      added(0, first),
      added(1, second),
      piece("f2", '{"y":2}'),
      { ...piece("f1", '{"x":1}'), output_index: 1 },
      done(0, first),
      done(1, second),
      completed(),
    );
    expect(read).toMatchObject({ calls: both });
  });

  it("Two open calls with numbers of their own have their own arguments if every event has another id", async () => {
    const read = await answer(
      created,
      added(0, first),
      added(1, second),
      piece("a", '{"x"'),
      { ...piece("b", '{"y"'), output_index: 1 },
      piece("c", ":1}"),
      { ...piece("d", ":2}"), output_index: 1 },
      done(0, { ...first, id: "e" }),
      done(1, { ...second, id: "f" }),
      completed(),
    );
    expect(read).toMatchObject({ calls: both, end: { type: "finish", stop_reason: "tool_calls" } });
  });

  it("A repeated beginning of an open call begins no other call", async () => {
    const read = await answer(
      created,
      added(0, first),
      added(0, first),
      piece("f1", '{"x":1}'),
      closed[0] as Event,
      completed(),
    );
    expect(read.calls).toHaveLength(1);
  });
});
