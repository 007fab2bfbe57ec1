// How every thread store orders and finds messages: along branches, in windows, by id. Part of the suite that runs over
// each kind of store.

import { describe, expect, test } from "vitest";

import type { MessageQuery } from "#core/ports/thread-store.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import { idOf, messageRecord, threadRecord } from "./records.ts";
import type { WithStore } from "./thread-store-contract.ts";

const all: MessageQuery = { branch: "main", order: "asc", limit: 100, includeSilent: true };

/** The numbers of the messages that a read returned. */
function numbers(found: { id: string }[]): number[] {
  return found.map((message) => Number(message.id.slice(-12)));
}

/** Branches, each with its messages: main has 1-4, a forks at 2, b forks from a at 6, c forks from a within main's part, at 1. */
function insertTree(store: ManagedThreadStore): void {
  const branch = (id: string, parent: string, fork: number) =>
    store.insertBranch({ id, parent_branch: parent, fork_position: idOf(fork), created_at: fork });
  const say = (id: string, ...given: number[]) => {
    for (const n of given) store.insertMessage(messageRecord(n, { branch: id }));
  };
  say("main", 1, 2, 3, 4);
  branch("a", "main", 2);
  say("a", 5, 6, 7);
  branch("b", "a", 6);
  say("b", 8);
  branch("c", "a", 1);
  say("c", 9);
  say("main", 10);
}

/** The part of the suite about messages. */
export function messageOrderContract(kind: string, withStore: WithStore): void {
  const withThread: WithStore = (work) =>
    withStore((store) => {
      store.create(threadRecord());
      return work(store);
    });

  describe(`messages in a thread store ${kind}`, () => {
    test("A message on any branch is found by its id, and not by a position that differs from its id", () =>
      withThread((store) => {
        store.insertMessage(messageRecord(1));
        const moved = messageRecord(2, { position: idOf(7) });
        store.insertMessage(moved);
        store.insertBranch({ id: "b", parent_branch: "main", fork_position: idOf(1), created_at: 1 });
        store.insertMessage(messageRecord(8, { branch: "b" }));
        const movedOnBranch = messageRecord(3, { branch: "b", position: idOf(9) });
        store.insertMessage(movedOnBranch);
        expect(store.message(idOf(1))).toEqual(messageRecord(1));
        expect(store.message(idOf(2))).toEqual(moved);
        expect(store.message(idOf(8))?.branch).toBe("b");
        expect(store.message(idOf(3))).toEqual(movedOnBranch);
        // A position that is not the message's id finds nothing.
        expect(store.message(idOf(7))).toBeNull();
        expect(store.message(idOf(9))).toBeNull();
        expect(store.message("nothing")).toBeNull();
      }));

    test("A message whose position is not its id is replaced and deleted like any other", () =>
      withThread((store) => {
        const moved = messageRecord(1, { position: idOf(5) });
        store.insertMessage(moved);
        store.updateMessage({ ...moved, name: "changed" });
        expect(store.message(idOf(1))?.name).toBe("changed");
        store.deleteMessage(moved);
        expect(store.message(idOf(1))).toBeNull();
        store.insertMessage(messageRecord(1));
        expect(store.message(idOf(1))?.position).toBe(idOf(1));
      }));

    test("A page of messages is in ascending or descending order of positions, and begins after a given position", () =>
      withThread((store) => {
        for (const n of [1, 3, 4, 5]) store.insertMessage(messageRecord(n));
        store.insertMessage(messageRecord(2, { position: idOf(6) }));
        expect(numbers(store.messages(all))).toEqual([1, 3, 4, 5, 2]);
        expect(numbers(store.messages({ ...all, limit: 2 }))).toEqual([1, 3]);
        expect(numbers(store.messages({ ...all, limit: 2, beyond: idOf(3) }))).toEqual([4, 5]);
        expect(numbers(store.messages({ ...all, order: "desc", limit: 2 }))).toEqual([2, 5]);
        expect(numbers(store.messages({ ...all, order: "desc", limit: 2, beyond: idOf(4) }))).toEqual([3, 1]);
        expect(store.messages({ ...all, beyond: idOf(6) })).toEqual([]);
      }));

    test("Silent messages and messages deeper than a maximum are left out on request, and the page is still full", () =>
      withThread((store) => {
        for (const n of [1, 2, 3, 4, 5, 6]) {
          store.insertMessage(messageRecord(n, { silent: n % 2 === 0, depth: n > 4 ? 2 : 0 }));
        }
        expect(numbers(store.messages({ ...all, includeSilent: false, limit: 2 }))).toEqual([1, 3]);
        expect(numbers(store.messages({ ...all, includeSilent: false }))).toEqual([1, 3, 5]);
        expect(numbers(store.messages({ ...all, maxDepth: 1 }))).toEqual([1, 2, 3, 4]);
        expect(numbers(store.messages({ ...all, maxDepth: 0, includeSilent: false, order: "desc" }))).toEqual([3, 1]);
      }));

    test("A branch has the messages of its ancestors up to the forks, then its own", () =>
      withThread((store) => {
        insertTree(store);
        const whole = (branch: string) => numbers(store.messages({ ...all, branch }));
        expect(whole("main")).toEqual([1, 2, 3, 4, 10]);
        expect(whole("a")).toEqual([1, 2, 5, 6, 7]);
        expect(whole("b")).toEqual([1, 2, 5, 6, 8]);
        expect(whole("c")).toEqual([1, 9]);
        expect(whole("unknown")).toEqual([]);
        const b = { ...all, branch: "b" };
        expect(numbers(store.messages({ ...b, order: "desc" }))).toEqual([8, 6, 5, 2, 1]);
        expect(numbers(store.messages({ ...b, order: "desc", limit: 2, beyond: idOf(8) }))).toEqual([6, 5]);
        expect(numbers(store.messages({ ...b, order: "desc", limit: 2, beyond: idOf(5) }))).toEqual([2, 1]);
        expect(numbers(store.messages({ ...b, limit: 3, beyond: idOf(1) }))).toEqual([2, 5, 6]);
      }));

    test("A message that was added to the parent after the fork is not on the branch", () =>
      withThread((store) => {
        insertTree(store);
        store.insertMessage(messageRecord(11, { branch: "a" }));
        expect(numbers(store.messages({ ...all, branch: "b" }))).toEqual([1, 2, 5, 6, 8]);
        expect(numbers(store.messages({ ...all, branch: "a" }))).toEqual([1, 2, 5, 6, 7, 11]);
      }));

    test("The timeline has the messages of all branches in the order of their positions, from any position on", () =>
      withThread((store) => {
        insertTree(store);
        for (const page of [1, 2, 25]) {
          const read = (order: "asc" | "desc", beyond?: number) =>
            numbers([...store.timeline({ order, page, beyond: beyond === undefined ? undefined : idOf(beyond) })]);
          expect(read("asc")).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
          expect(read("desc")).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
          expect(read("asc", 6)).toEqual([7, 8, 9, 10]);
          expect(read("desc", 4)).toEqual([3, 2, 1]);
        }
      }));

    test("The timeline has each of two messages with equal positions, as an import may store them", () =>
      withThread((store) => {
        insertTree(store);
        store.insertMessage(messageRecord(20, { branch: "a", position: idOf(9) }));
        for (const order of ["asc", "desc"] as const) {
          const read = numbers([...store.timeline({ order, page: 25 })]);
          expect(read.toSorted((left, right) => left - right)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20]);
        }
      }));

    test("The messages of a branch are counted by depth, silent ones apart, within a range of positions", () =>
      withThread((store) => {
        insertTree(store);
        store.insertMessage(messageRecord(12, { branch: "b", silent: true, depth: 4 }));
        expect(store.countMessages({ branch: "b", after: "", upTo: null })).toEqual({ 0: [5, 0], 4: [0, 1] });
        expect(store.countMessages({ branch: "b", after: idOf(2), upTo: idOf(8) })).toEqual({ 0: [3, 0] });
        expect(store.countMessages({ branch: "b", after: idOf(5), upTo: idOf(6) })).toEqual({ 0: [1, 0] });
        expect(store.countMessages({ branch: "main", after: idOf(2), upTo: null })).toEqual({ 0: [3, 0] });
        expect(store.countMessages({ branch: "unknown", after: "", upTo: null })).toEqual({});
      }));

    test("A read after a position returns all later messages of the branch, also silent ones and those of any depth", () =>
      withThread((store) => {
        insertTree(store);
        store.insertMessage(messageRecord(12, { branch: "b", silent: true, depth: 4 }));
        expect(numbers(store.messagesAfter("b", ""))).toEqual([1, 2, 5, 6, 8, 12]);
        expect(numbers(store.messagesAfter("b", idOf(2)))).toEqual([5, 6, 8, 12]);
        expect(numbers(store.messagesAfter("b", idOf(7)))).toEqual([8, 12]);
        expect(store.messagesAfter("b", idOf(12))).toEqual([]);
        expect(store.messagesAfter("unknown", "")).toEqual([]);
      }));
  });
}
