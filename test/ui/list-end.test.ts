// What the playground shows after the threads of a list.

import type { ThreadListView } from "threadhold/client";
import { expect, it } from "vitest";

import { endOfList } from "#playground/threads/list-end.tsx";
import type { ListEnd } from "#playground/threads/list-end.tsx";

import { threadWith } from "./support/waiting-thread.ts";

it("LIST2 A list in the playground is shown as empty or complete only if all threads were searched", () => {
  const endOf = (count: number, list: Partial<ThreadListView>, shown = count): ListEnd => {
    const threads = Array.from({ length: count }, (_, at) => threadWith(`t${at}`, 0));
    return endOfList({ loading: false, hasMore: false, error: null, ...list, threads }, { limit: 3, shown });
  };
  expect([endOf(0, {}), endOf(2, {}), endOf(2, {}, 0)]).toEqual(["empty", "complete", "empty"]);
  expect([endOf(0, { hasMore: true }), endOf(2, { hasMore: true })]).toEqual(["unsearched", "unsearched"]);
  expect([endOf(3, {}), endOf(3, { hasMore: true })]).toEqual(["full", "full"]);
  expect([endOf(0, { loading: true, hasMore: true }), endOf(0, { error: new Error("failed") })]).toEqual([null, null]);
});
