// Over random conversations with reruns, edits, changes of the branch and crashes, an effect is only repeated if a request asks for it.

import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";

import type { Branch } from "#contract/branch-route.ts";
import type { Message } from "#contract/thread-message.ts";

import { effects, scripts } from "../worker/definitions.ts";
import { branchMessages, checkout, runBranch, startBranch, treeOf } from "./branch-driver.ts";
import { wake } from "./team-driver.ts";
import { converse, crash, follow, newThread } from "./thread-driver.ts";

const calls = fc.array(fc.constantFrom("a", "b"), { maxLength: 3 });
const action = fc.oneof(
  fc.record({ do: fc.constant("say" as const), calls }),
  fc.record({ do: fc.constant("rerun" as const), at: fc.nat(9), repeat: fc.boolean(), dies: fc.boolean() }),
  fc.record({ do: fc.constant("edit" as const), at: fc.nat(9), calls }),
  fc.record({ do: fc.constant("checkout" as const), at: fc.nat(9) }),
  fc.record({ do: fc.constant("crash" as const) }),
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

beforeAll(() => {
  // A text names the calls that its turn makes, and a rerun of it makes them again.
  scripts.set("do", ({ step, lastUser }) => {
    const names = lastUser.split(" ").slice(2);
    if (step > 0 || names.length === 0) return { text: "done" };
    return { toolCalls: names.map((text) => ({ name: "note", arguments: { text } })) };
  });
});
afterAll(() => scripts.delete("do"));

/** The ids of the runs that may repeat calls. */
type Repeating = Set<string | null>;

async function play(id: string, one: Action, repeating: Repeating): Promise<void> {
  if (one.do === "say") return void (await converse(id, ["do", "it", ...one.calls].join(" ")));
  if (one.do === "crash") return crash(id);
  if (one.do === "checkout") {
    const branches = await treeOf(id);
    return void (await checkout(id, { branch_id: branches[one.at % branches.length]?.id ?? "" }));
  }
  const users = (await branchMessages(id)).filter(({ role }) => role === "user");
  const from = users[one.at % users.length]?.id;
  if (from === undefined) return;
  if (one.do === "edit") {
    return void (await runBranch(id, { kind: "branch", from, content: ["do", "it", ...one.calls].join(" ") }));
  }
  const { run, after } = await startBranch(id, { from, ...(one.repeat ? { repeat: "all" as const } : {}) });
  if (one.repeat) repeating.add(run?.id ?? null);
  if (one.dies) {
    await crash(id);
    await wake(id);
  }
  const following = await follow(id, { after: String(after), run_id: run?.id ?? "" });
  await following.closed;
}

const isNote = ({ role, name, result }: Message) => role === "tool" && name === "note" && result?.status === "success";

/** What is wrong with the calls of a branch; null if no effect was repeated and each result was taken once. */
function problemOf(
  { path, forked }: { path: readonly Message[]; forked: string },
  executed: readonly Message[],
  repeating: Repeating,
): string | null {
  const own = new Set(path.map(({ id }) => id));
  const taken = new Set<string>();
  for (const call of path.filter((message) => isNote(message) && message.position > forked)) {
    const equal = executed.filter(
      ({ id, position, content }) =>
        !own.has(id) && !taken.has(id) && position > forked && position < call.position && content === call.content,
    );
    const [next] = equal;
    if (call.reused_from !== undefined) {
      if (next?.id !== call.reused_from) return `${call.id} took ${call.reused_from} and not ${next?.id}`;
      taken.add(call.reused_from);
    } else if (next !== undefined) {
      if (!repeating.has(call.run_id)) return `${call.id} repeated ${next.id}`;
      taken.add(next.id);
    }
  }
  return null;
}

/** The position of the last message of a branch's path that the first branch has; null for the first branch. */
function firstFork(path: readonly Message[], root: string | undefined): string {
  return path.findLast(({ branch_id }) => branch_id === root)?.position ?? "";
}

it("BRANCH32 An effect is only repeated if a request asks for it, over random conversations, branches and crashes", async () => {
  const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`branch effects: SEED=${seed}`);
  await fc.assert(
    fc.asyncProperty(calls, fc.array(action, { minLength: 1, maxLength: 6 }), async (first, actions) => {
      const repeating: Repeating = new Set();
      effects.length = 0;
      const id = await newThread("parallel");
      await converse(id, ["do", "it", ...first].join(" "));
      for (const one of actions) await play(id, one, repeating);
      const branches: Branch[] = await treeOf(id);
      const root = branches[0]?.id;
      const paths = await Promise.all(branches.map(async (branch) => branchMessages(id, branch.id)));
      const all = new Map(paths.flat().map((message) => [message.id, message]));
      const executed = [...all.values()]
        .filter((message) => isNote(message) && message.reused_from === undefined)
        .toSorted((left, right) => (left.position < right.position ? -1 : 1));
      for (const [at, path] of paths.entries()) {
        if (at === 0) continue;
        const forked = firstFork(path, root);
        const shares = new Set(
          branches.flatMap((branch, other) => (firstFork(paths[other] ?? [], root) >= forked ? [branch.id] : [])),
        );
        const near = executed.filter(({ branch_id }) => shares.has(branch_id));
        const problem = problemOf({ path, forked }, near, repeating);
        if (problem !== null) throw new Error(problem);
      }
      const started = [...all.values()].filter(({ role, reused_from }) => role === "tool" && reused_from === undefined);
      expect(effects.length).toBeLessThanOrEqual(started.length);
      expect(effects.length).toBeGreaterThanOrEqual(executed.length);
    }),
    { seed, numRuns: Number(process.env["RUNS"] ?? 1000) },
  );
}, 300_000);
