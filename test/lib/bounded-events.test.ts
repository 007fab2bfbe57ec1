// Bounds of streams of server-sent events: lines, events and the JSON in their data are counted while the stream arrives.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { EventMeter } from "#lib/untrusted/bounded-events.ts";

const wide = { units: 1000, lines: 10, allLines: 100, events: 45, json: { values: 100, depth: 10 } };

/** Reads a stream in pieces of this length. Returns the number of values. */
function readIn(size: number, text: string, bounds = wide): number {
  const meter = new EventMeter(bounds);
  for (let at = 0; at < text.length; at += size) meter.read(text.slice(at, at + size));
  return meter.values;
}

describe("bounded events", () => {
  it("OUT23 The values in the data of events are counted alike for each kind of line end and each division into pieces", () => {
    const end = fc.constantFrom("\n", "\r\n", "\r");
    const field = fc.constantFrom(
      "event: message",
      "id: [1,2,3]",
      ": [[,,,]]",
      "retry: 5",
      "event:[[",
      'x: "',
      'foo: "\\',
      'x"',
      "data-x: [[",
      "Data: [1,1]",
      " data: {",
      "dat: ]",
    );
    const json = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(json, fc.array(field)), { maxLength: 4 }),
        end,
        fc.integer({ min: 1, max: 40 }),
        (events, lineEnd, size) => {
          const lines = events.flatMap(([value, fields]) => [...fields, `data: ${JSON.stringify(value)}`, ""]);
          const bounds = { units: 1e6, lines: 1e6, json: { values: 1e6, depth: 100 } };
          const count = (value: unknown): number =>
            typeof value === "object" && value !== null
              ? Object.values(value).reduce<number>((sum, each) => sum + count(each), 1)
              : 1;
          const values = events.reduce((sum, [value]) => sum + count(JSON.parse(JSON.stringify(value))), 0);
          const meter = new EventMeter(bounds);
          const text = lines.map((line) => line + lineEnd).join("");
          for (let at = 0; at < text.length; at += size) meter.read(text.slice(at, at + size));
          expect(meter.values).toBe(values);
        },
      ),
    );
  });

  it.each([1, 7, 10_000])("OUT23 A stream within its bounds is read in pieces of %i characters", (size) => {
    const event = `event: message\nid: 1\n${'data: {"a":[1,2],\n'.repeat(3)}data: 1\n\n`;
    expect(() => readIn(size, event.repeat(10))).not.toThrow();
  });

  const flat = `data: [${"1,".repeat(100)}1]\n\n`;
  const nested = `data: ${"[".repeat(11)}\n\n`;

  it.each([
    ["a quote in an unknown field precedes many values", `x: "\n${flat}`, "more than 100 values"],
    ["a quote without a field precedes many values", `x"\n${flat}`, "more than 100 values"],
    ["a quote after a known field precedes many values", `event: message\nfoo: "\n${flat}`, "more than 100 values"],
    ["a quote in the field of another case precedes deep data", `Data: "\n${nested}`, "more than 10 levels"],
    ["an event of brackets precedes many values", `data: ]"\n\n${flat}`, "more than 100 values"],
    ["an event with an open text precedes many values", `data: "\n\n${flat}`, "more than 100 values"],
    ["an event of closing brackets precedes deep data", `data: ${"]".repeat(90)}\n\n${nested}`, "more than 10 levels"],
    ["closing brackets precede deep data in one event", `data: ${"]".repeat(90)}${"[".repeat(11)}\n\n`, "levels"],
    ["an event has too many closing brackets", `data: ${"]".repeat(101)}\n\n`, "more than 100 values"],
    ["a line is too long", `data: "${"x".repeat(1000)}"\n\n`, "an event of more than 1000 characters"],
    ["an event is too long", `data: "${"x".repeat(400)}"\n`.repeat(3), "an event of more than 1000 characters"],
    ["a line without an end is too long", `: ${"x".repeat(1000)}`, "an event of more than 1000 characters"],
    ["an event has too many lines", "data: y\n".repeat(11), "an event of more than 10 lines"],
    ["an event has too many comments", ":\n".repeat(11), "an event of more than 10 lines"],
    ["an event has too many unknown fields", "x\r\n".repeat(11), "an event of more than 10 lines"],
    ["it has too many empty lines", "\n".repeat(101), "more than 100 lines"],
    ["it has too many small events", "data: 1\n\n".repeat(46), "more than 45 events"],
    ["the data of an event has too many values", `data: [${"1,".repeat(100)}1]\n\n`, "more than 100 values"],
    ["several lines of data have too many values", `data: [${"1,".repeat(30)}\n`.repeat(4), "more than 100 values"],
    ["the data of an event is nested too deeply", `data:${"[".repeat(11)}\n\n`, "more than 10 levels"],
    ["data after a byte order mark is nested too deeply", `\uFEFFdata:${"[".repeat(11)}\n\n`, "more than 10 levels"],
    [
      "data after a decoded byte order mark is nested too deeply",
      `ï»¿data:${"[".repeat(11)}\n\n`,
      "more than 10 levels",
    ],
  ])("OUT23 A stream is refused if %s, whole and in pieces", (_, text, problem) => {
    for (const size of [1, 3, 64, 1_000_000]) expect(() => readIn(size, text), `${size}`).toThrow(problem);
  });
});
