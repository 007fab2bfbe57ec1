// The prepared queries of an object's database.

import { expect, it } from "vitest";

import { prepared } from "#store/thread/thread-database.ts";

it("A query is prepared when it is first used, and only once", () => {
  const preparations: string[] = [];
  const builder = (name: string) => () => ({ prepare: () => ({ query: `${name} ${preparations.push(name)}` }) });
  const queries = prepared({ select: builder("select"), insert: builder("insert") });
  expect(preparations).toEqual([]);
  expect([queries.insert.query, queries.insert.query]).toEqual(["insert 1", "insert 1"]);
  expect(queries.select.query).toBe("select 2");
  expect(preparations).toEqual(["insert", "select"]);
});
