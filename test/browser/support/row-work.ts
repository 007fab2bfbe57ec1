// Counts the message rows that React draws on a page during an action: those that are drawn for the first time, and
// those that are drawn again although they are on the page. The counts come from React's commits, through the hook of
// its developer tools, so they do not depend on the machine's speed.

import type { Page } from "playwright-core";

/** The counts of one action. */
export interface RowWork {
  /** Commits in which a message was drawn. */
  commits: number;
  /** Messages drawn that were not on the page, with repetitions. */
  drawn: number;
  /** The same without repetitions. */
  different: number;
  /** Messages drawn again while they were on the page. */
  again: number;
  /** The most messages that one commit drew. */
  most: number;
}

interface Fiber {
  type: unknown;
  alternate: Fiber | null;
  child: Fiber | null;
  sibling: Fiber | null;
  memoizedProps: Record<string, unknown> | null;
}

interface Counted {
  drawn: string[];
  again: string[];
}

interface CountingWindow {
  rowWork?: Counted[];
  __REACT_DEVTOOLS_GLOBAL_HOOK__?: unknown;
}

/** Counts from the next page load on. */
export async function countRowWork(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const counted: Counted[] = [];
    const visit = (fiber: Fiber, into: Counted): void => {
      const before = fiber.alternate;
      const id = fiber.type === "article" ? fiber.memoizedProps?.["data-message"] : undefined;
      if (typeof id === "string" && before === null) into.drawn.push(id);
      else if (typeof id === "string" && before?.memoizedProps !== fiber.memoizedProps) into.again.push(id);
      // The children are the same objects as before: React skipped them.
      if (before !== null && before.child === fiber.child) return;
      for (let child = fiber.child; child !== null; child = child.sibling) visit(child, into);
    };
    const target = globalThis as unknown as CountingWindow;
    target.rowWork = counted;
    target.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
      supportsFiber: true,
      renderers: new Map(),
      checkDCE: () => undefined,
      inject: () => 1,
      onCommitFiberUnmount: () => undefined,
      onPostCommitFiberRoot: () => undefined,
      onCommitFiberRoot: (_: number, root: { current: Fiber }) => {
        const into: Counted = { drawn: [], again: [] };
        visit(root.current, into);
        if (into.drawn.length + into.again.length > 0) counted.push(into);
      },
    };
  });
}

/** The counts while `act` runs, on a page that was loaded after `countRowWork`. */
export async function rowWorkDuring(page: Page, act: () => Promise<void>): Promise<RowWork> {
  const take = (): Promise<Counted[]> =>
    page.evaluate(() => {
      const { rowWork } = globalThis as unknown as CountingWindow;
      if (rowWork === undefined) throw new Error("This page was loaded before the counting began");
      return rowWork.splice(0);
    });
  await take();
  await act();
  const counted = await take();
  const drawn = counted.flatMap((commit) => commit.drawn);
  return {
    commits: counted.length,
    drawn: drawn.length,
    different: new Set(drawn).size,
    again: counted.reduce((sum, commit) => sum + commit.again.length, 0),
    most: Math.max(0, ...counted.map((commit) => commit.drawn.length + commit.again.length)),
  };
}
