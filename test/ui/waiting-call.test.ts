// The order of the inbox, and the addresses of its calls.

import { expect, it } from "vitest";

import { placeOf, waitingCalls, waitingThreads } from "#playground/inbox/waiting-call.ts";

import { threadWith } from "./support/waiting-thread.ts";

it("The inbox lists the thread with the longest waiting call first, and the oldest call of a thread first", () => {
  const [late, early] = [threadWith("late", 300), threadWith("early", 200)];
  // A new title changes the time of the thread, and not of its call.
  const renamed = { ...threadWith("renamed", 100), updated_at: 900 };
  const two = {
    ...early,
    pending_tool_calls: [...threadWith("new", 400).pending_tool_calls, ...early.pending_tool_calls],
  };
  const all = waitingThreads([late, two, renamed], () => true);
  expect(all.map(({ thread, calls }) => [thread.title, ...calls.map(({ call }) => call.id)])).toEqual([
    ["renamed", "renamed"],
    ["early", "early", "new"],
    ["late", "late"],
  ]);
});

it("The inbox does not list a thread if none of its calls passes the filter", () => {
  const question = threadWith("question", 100, { kind: "question" });
  const listed = waitingThreads([question, threadWith("order", 200)], ({ call }) => call.kind === "question");
  expect(listed.map(({ thread }) => thread.title)).toEqual(["question"]);
});

it("A limit that is reached again has a new key in the inbox", () => {
  const keyOf = (since: number) => waitingCalls([threadWith("limit", since, { kind: "limit" })]).map(({ key }) => key);
  expect(keyOf(100)).toEqual(keyOf(100));
  expect(keyOf(100)).not.toEqual(keyOf(200));
});

it("A call in the inbox links to its message in the thread, and a call without a message links to the thread", () => {
  const placesOf = (message?: string) =>
    waitingCalls([threadWith("a b", 100, message === undefined ? {} : { message_id: message })]).map(placeOf);
  expect(placesOf("m&1")).toEqual(["/threads/thread-a%20b?message=m%261"]);
  expect(placesOf()).toEqual(["/threads/thread-a%20b"]);
});
