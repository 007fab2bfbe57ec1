// Cursors of lists: they decode to their values, and only for the list that made them.

import fc from "fast-check";
import { expect, it } from "vitest";

import { decodeCursor, encodeCursor } from "#contract/cursor.ts";
import { ThreadholdError } from "#contract/error.ts";

function refusal(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown instanceof ThreadholdError ? thrown.refusal : thrown;
  }
}

const refused = { code: "invalid_request", details: { fields: [{ path: "cursor" }] } };

it("A list cursor is decoded to the values that it was made of, and is safe in a URL", () => {
  const place = fc.string({ minLength: 1, maxLength: 200, unit: "grapheme" }).filter(({ length }) => length <= 200);
  fc.assert(
    fc.property(place, (after) => {
      const cursor = encodeCursor(after, "messages");
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(decodeCursor(cursor, "messages")).toBe(after);
    }),
  );
});

it("CURSOR2 A cursor of another list is refused", () => {
  expect(refusal(() => decodeCursor(encodeCursor("a", "runs"), "messages"))).toMatchObject(refused);
});

it("CURSOR2 An invalid cursor is refused with invalid_request and never causes an internal error", () => {
  const made = (value: unknown) => btoa(JSON.stringify(value));
  for (const cursor of [
    "",
    "!",
    "é",
    "AAAA",
    made(null),
    made(["messages"]),
    made(["messages", 1]),
    made(["messages", ""]),
  ]) {
    expect(
      refusal(() => decodeCursor(cursor, "messages")),
      cursor,
    ).toMatchObject(refused);
  }
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(refusal(() => decodeCursor(text, "messages"))).toMatchObject(refused);
    }),
  );
});
