// Which calls the page notifies of. The browser's part is in test/browser/suites/notifications.ts.

import { expect, it } from "vitest";

import { notifyOfCalls } from "#playground/inbox/notify/call-notifier.ts";
import type { WaitingCall } from "#playground/inbox/waiting-call.ts";

import { threadWith } from "./support/waiting-thread.ts";

/** A page with a list that the test changes. */
function page({ leading = true }: { leading?: boolean } = {}) {
  let state = {
    threads: [] as ReturnType<typeof threadWith>[],
    loading: true,
    hasMore: false,
    error: null as Error | null,
  };
  let changed = (): void => undefined;
  const shown: string[] = [];
  const closed: string[] = [];
  const requested: { waiting: WaitingCall; answer: (isShown: boolean) => void }[] = [];
  const stop = notifyOfCalls({
    list: {
      get: () => state,
      subscribe(listener) {
        changed = listener;
        return () => {
          changed = () => undefined;
        };
      },
    },
    isLeading: () => leading,
    isShown: (waiting) => new Promise((answer) => requested.push({ waiting, answer })),
    show({ call }) {
      shown.push(call.id);
      return () => closed.push(call.id);
    },
  });
  return {
    shown,
    closed,
    requested: () => requested.map(({ waiting }) => waiting.call.id),
    list: (...threads: ReturnType<typeof threadWith>[]) => {
      state = { threads, loading: false, hasMore: false, error: null };
      changed();
    },
    fail: () => {
      state = { threads: [], loading: false, hasMore: false, error: new Error("The server answered 500.") };
      changed();
    },
    /** Answers all questions about what tabs show. */
    answer: async (isShown: boolean) => {
      for (const { answer } of requested.splice(0)) answer(isShown);
      await Promise.resolve();
      await Promise.resolve();
    },
    stop,
  };
}

it("The page shows one notification of a call that begins to wait, and none of the calls that waited when the page was loaded", async () => {
  const { shown, list, answer } = page();
  list(threadWith("a", 100));
  list(threadWith("a", 100), threadWith("b", 200));
  list(threadWith("a", 100), threadWith("b", 200));
  await answer(false);
  expect(shown).toEqual(["b"]);
});

it("If the first request for the waiting calls fails, the page shows no notification of the calls in the first list that it receives", async () => {
  const { shown, fail, list, answer } = page();
  fail();
  list(threadWith("a", 100));
  list(threadWith("a", 100), threadWith("b", 200));
  await answer(false);
  expect(shown).toEqual(["b"]);
});

it("An older call that enters a full list of waiting calls causes no notification", async () => {
  const { shown, list, answer } = page();
  list(threadWith("b", 200));
  list(threadWith("a", 100));
  await answer(false);
  expect(shown).toEqual([]);
});

it("If a call is answered while the page asks other tabs whether they show it, the page shows no notification of it", async () => {
  const { shown, list, requested, answer } = page();
  list();
  list(threadWith("a", 100));
  expect(requested()).toEqual(["a"]);
  list();
  await answer(false);
  expect(shown).toEqual([]);
});

it("The page shows no notification of a call that a visible tab shows, and only the leading tab shows notifications", async () => {
  const visible = page();
  const other = page({ leading: false });
  for (const { list } of [visible, other]) {
    list();
    list(threadWith("a", 100));
  }
  expect(visible.requested()).toEqual(["a"]);
  expect(other.requested()).toEqual([]);
  await visible.answer(true);
  expect(visible.shown).toEqual([]);
});

it("A notification of a waiting call is closed when the call no longer waits, and a stopped notifier shows no notification", async () => {
  const { shown, closed, list, answer, stop } = page();
  list();
  list(threadWith("a", 100));
  await answer(false);
  list();
  expect([shown, closed]).toEqual([["a"], ["a"]]);
  list(threadWith("b", 200));
  stop();
  await answer(false);
  expect(shown).toEqual(["a"]);
});
