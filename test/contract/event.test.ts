// The event vocabulary: its schema accepts every event that runs emit, and lists every type.

import fc from "fast-check";
import { expect, it } from "vitest";

import { eventSchema, eventTypes, sseEventName } from "#contract/event.ts";

import { numbered, spoken, story } from "./support/story.ts";

it("EVENT1 Every event of a thread fits the contract, and parsing does not change it", () => {
  fc.assert(
    fc.property(story, (events) => {
      for (const event of events) expect(eventSchema.parse(event)).toEqual(event);
    }),
    { numRuns: 50 },
  );
});

it("EVENT2 An event of an unknown type or with an invalid field is refused, and one with an unknown field is accepted without that field", () => {
  const [event] = numbered(spoken(1, "x", []));
  for (const wrong of [{ type: "message_begin" }, { seq: -1 }, { seq: 1.5 }, { at: "now" }, { silent: false }]) {
    expect(eventSchema.safeParse({ ...event, ...wrong }).success, JSON.stringify(wrong)).toBe(false);
  }
  expect(eventSchema.parse({ ...event, later: 1 })).toEqual(event);
});

it("EVENT3 Event types are listed once, and only `error` has another name as an SSE frame", () => {
  expect(new Set(eventTypes).size).toBe(eventTypes.length);
  expect(eventTypes.filter((type) => sseEventName(type) !== type)).toEqual(["error"]);
  expect(eventTypes).toContain("snapshot");
});
