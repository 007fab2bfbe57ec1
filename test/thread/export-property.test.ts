// After any operations a thread that is exported, deleted, imported and exported again gives the same lines, and the same replay.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { TestRequest, TestTurn } from "#spec/index.ts";
import { meterStorage } from "#store/meter.ts";
import { createSqliteThreadStore } from "#store/thread/sqlite-thread-store.ts";

import { scripts } from "../worker/definitions.ts";
import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import { comparable, exported, linesOf, replaced } from "./archive-client.ts";
import { admin, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

const page = { limit: 1000, order: "asc" as const, include_silent: true };

const text = fc.string({ unit: "grapheme", maxLength: 20 });
const path = fc.constantFrom("/a", "/b/c", "/b/d.txt", "/e/f/g.png", "/e", "/b");

/** Metadata that the HTTP API accepts. The API refuses the name `__proto__`. */
const metadata = fc
  .dictionary(text, fc.jsonValue())
  .map((value) => JSON.stringify(value))
  .filter((json) => !json.includes("__proto__"))
  .map((json) => JSON.parse(json) as object);

/** An operation on a thread. */
const action = fc.oneof(
  fc.record({ do: fc.constant("say" as const), word: fc.constantFrom("plain", "tools", "nested", "long"), text }),
  fc.record({ do: fc.constant("note" as const), text, silent: fc.boolean(), role: fc.constantFrom("user", "system") }),
  fc.record({ do: fc.constant("edit" as const), at: fc.nat(30), text, metadata }),
  fc.record({ do: fc.constant("delete" as const), at: fc.nat(30) }),
  fc.record({
    do: fc.constant("patch" as const),
    title: text,
    tags: fc.array(fc.string({ minLength: 1, maxLength: 9 }), { maxLength: 3 }),
  }),
  fc.record({
    do: fc.constant("write" as const),
    path,
    size: fc.constantFrom(0, 1, 5000, 800_000, 2_000_000),
    fill: fc.nat(255),
  }),
  fc.record({ do: fc.constant("folder" as const), path }),
  fc.record({ do: fc.constant("remove" as const), path }),
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

function play({ step, lastUser }: TestRequest): TestTurn {
  const word = lastUser.split(" ")[0] ?? "";
  if (step > 0 || word === "plain") return { thinking: "so", text: `said ${lastUser}` };
  if (word === "long") return { text: "x".repeat(20_000) };
  const act = { name: "act", arguments: { key: "k" } };
  return {
    text: "calls",
    toolCalls:
      word === "nested"
        ? [{ name: "helper", arguments: { task: lastUser } }, act]
        : [act, act, { name: "none", arguments: {} }],
  };
}

beforeAll(() => {
  scriptedAnswers.set("boss", play);
  scriptedAnswers.set("helper", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "act", arguments: { key: "k" } }] } : { text: "helped" },
  );
  toolEffects.set("k", () => ({ acted: [1, null, "ü"] }));
});

afterAll(() => {
  scriptedAnswers.clear();
  toolEffects.clear();
  scripts.clear();
});

async function happens(id: string, what: Action): Promise<void> {
  const [stub, files] = [stubOf(id), new Files(id)];
  const some = async (at: number) => {
    const { items } = await value(stub.call("listMessages", admin, page));
    return items[at % Math.max(1, items.length)]?.id ?? "";
  };
  switch (what.do) {
    case "say":
      await converse(id, `${what.word} ${what.text}`);
      return;
    case "note": {
      const { silent, role } = what;
      await value(
        stub.call("postMessage", admin, message(what.text, { run: false, silent, role: role as "user" }), null),
      );
      return;
    }
    case "edit":
      await stub.call("patchMessage", admin, await some(what.at), {
        content: what.text,
        metadata: what.metadata as never,
      });
      return;
    case "delete":
      await stub.call("deleteMessage", admin, await some(what.at));
      return;
    case "patch":
      await value(stub.call("patch", admin, { title: what.title, tags: what.tags }));
      return;
    case "write":
      await files.put(what.path, new Uint8Array(what.size).fill(what.fill), { "content-type": "image/png" });
      return;
    case "folder":
      await files.ask("PUT", `/files${what.path}?mkdir`);
      return;
    case "remove":
      await files.ask("DELETE", `/files${what.path}`);
  }
}

async function emitted(id: string, after: number) {
  const following = await follow(id, { after: String(after), until: "idle", include_silent: "true" });
  await following.closed;
  return following.events.map((event) => ({ ...event, prev: 0 }));
}

describe("any thread", () => {
  it("EXPORT2 After a thread is exported, deleted and imported, its next export has the same lines, and a replay from any event number has the same events", async () => {
    const actions = fc.array(action, { maxLength: 12, size: "max" });
    // A failure prints the seed and the shortest operations that reproduce it.
    await fc.assert(
      fc.asyncProperty(actions, fc.integer({ min: 0, max: 100 }), async (story, share) => {
        const id = await newThread("boss", { user_id: "ada" });
        for (const what of story) await happens(id, what);
        const { last_seq } = await value(stubOf(id).call("describe", admin));
        const from = Math.floor((last_seq * share) / 100);
        const [first, before] = [await exported(id), await emitted(id, from)];
        await replaced(id, first);
        expect(comparable(await exported(id))).toEqual(comparable(first));
        expect(await emitted(id, from)).toEqual(before);
        await converse(id, "plain again");
        await value(stubOf(id).call("remove", admin));
      }),
      { numRuns: 15 },
    );
  }, 120_000);

  it("EXPORT11 An export has the messages of all branches of a thread, each in its position", async () => {
    const id = await newThread("boss");
    await converse(id, "plain one");
    await converse(id, "plain two");
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, { storage }) => {
      const store = createSqliteThreadStore(meterStorage(storage));
      const fork_position = items[1]?.position ?? "";
      for (const [branch, parent] of [
        ["side", "main"],
        ["aside", "side"],
      ] as const) {
        store.insertBranch({ id: branch, parent_branch: parent, fork_position, created_at: 7 });
        const last = store.message(items[2]?.id ?? "");
        if (last === null) throw new Error("no message");
        const own = last.id.replace(/.{12}$/, branch === "side" ? "00000000000a" : "00000000000b");
        const place = { id: own, position: own, branch, run_id: null, events: [] };
        store.insertMessage({ ...last, ...place, parts: [{ type: "text", text: `on ${branch}` }] });
      }
    });
    const branchOf = async (branch: string) =>
      (await value(stubOf(id).call("listMessages", admin, { ...page, branch }))).items.map(({ content }) => content);
    const read = async () => Promise.all(["main", "side", "aside"].map(branchOf));
    const before = await read();
    expect(before.map((contents) => contents.length)).toEqual([4, 3, 3]);
    const first = await exported(id);
    await replaced(id, first);
    expect(await read()).toEqual(before);
    expect(comparable(await exported(id))).toEqual(comparable(first));
    expect(
      linesOf(first)
        .filter(({ type }) => type === "branch")
        .map((line) => line["branch"].id),
    ).toEqual(["main", "side", "aside"]);
    expect((await value(stubOf(id).call("listMessages", admin, page))).total).toBe(4);
  });
});
