// The names of files for sessions.

import fc from "fast-check";
import { expect, it } from "vitest";

import { nameOfSession, sessionOfName } from "#facade/uap/checkpoint/session-name.ts";

const anyId = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20, unit: "binary" }),
  fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom("a", "A", ".", "%", "4", "1", "/", "-") }),
);

it("The file name of a session is one segment of a path in lower case, and is converted back to the session's id", () => {
  fc.assert(
    fc.property(anyId, (id) => {
      const name = nameOfSession(id);
      expect(name).toMatch(/^(?!\.)[a-z\d._%-]+(?<!\.)$/);
      expect(sessionOfName(name)).toBe(id);
    }),
    { verbose: true },
  );
});

it.each(["my-session", "user-123-task-456", "a_b.c", "6f0e68ba-0000-4000-8000-000000000000"])(
  "The id %s is unchanged as a file name",
  (id) => {
    expect(nameOfSession(id)).toBe(id);
  },
);

it.each([
  ["A", "%41"],
  ["..", "%2e%2e"],
  ["../x", "%2e.%2fx"],
  ["con", "%63on"],
  ["nul.txt", "%6eul.txt"],
  ["console", "console"],
  ["é", "%c3%a9"],
])("The session with the id %s has the file name %s", (id, name) => {
  expect(nameOfSession(id)).toBe(name);
});

it.each(["A", "%41%", "%61", "..", ".a", "a.", "con", "", "%ff", "%C3%A9"])(
  "The file name %j is not that of a session",
  (name) => {
    expect(sessionOfName(name)).toBeNull();
  },
);
