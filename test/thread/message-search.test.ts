// The search for a text in the messages of one thread, through the whole Worker: http, the real object, its real storage.

import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import type { MessageHit, MessageHits } from "#contract/search-route.ts";
import { callerHeader, messageSearchPath } from "#core/rpc/thread-rpc.ts";

import { scripts } from "../worker/definitions.ts";
import { scriptedAnswers } from "../worker/team.ts";
import { admin, converse, newThread, stubOf, value } from "./thread-driver.ts";

type Query = Record<string, string>;

function ask(id: string, query: Query): Promise<Response> {
  const search = new URLSearchParams(query).toString();
  return exports.default.fetch(new Request(`http://localhost/api/threads/${id}/messages-search?${search}`));
}

async function found(id: string, q: string, query: Query = {}): Promise<MessageHits> {
  const response = await ask(id, { q, ...query });
  expect(response.status).toBe(200);
  return response.json();
}

const marked = ({ excerpt, start, length }: MessageHit): string =>
  `${excerpt.slice(0, start)}[${excerpt.slice(start, start + length)}]${excerpt.slice(start + length)}`;

const texts = async (id: string, q: string, query: Query = {}): Promise<string[]> =>
  (await found(id, q, query)).hits.map(marked);

/** A thread whose users sent these texts, in order. */
const said = (contents: string[], extra: object = {}): Promise<string> =>
  newThread("parallel", { initial_messages: contents.map((content) => ({ role: "user", content, ...extra })) });

/** Writes this many messages into a thread's storage; those with a number below `needles` have the text `needle`. */
async function fill(id: string, count: number, needles: number): Promise<void> {
  await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n + 1 < ?)
       INSERT INTO message SELECT branch, '0-' || printf('%07d', n), '0-' || printf('%07d', n), depth, silent,
         json_set(body, '$.id', '0-' || printf('%07d', n), '$.position', '0-' || printf('%07d', n),
           '$.parts[0].text', iif(n < ?, 'needle ', 'hay ') || n)
       FROM n CROSS JOIN (SELECT * FROM message LIMIT 1)`,
      count,
      needles,
    );
  });
}

describe("a search of a thread's messages", () => {
  it("SEARCH1 A search finds texts of users and models, newest first, in any case, with the position in an excerpt", async () => {
    const id = await said(["The Blue Whale", "nothing", `${"so ".repeat(100)}a blue whale${" and".repeat(100)}`]);
    scripts.set("whales", () => ({ text: ["Whales are ", "BLUE WHALEs"] }));
    await converse(id, "whales please");
    const { hits, next_cursor } = await found(id, "blue whale");
    expect(next_cursor).toBeNull();
    expect(hits.map(({ role }) => role)).toEqual(["assistant", "user", "user"]);
    expect(hits.map(marked)).toEqual([
      "Whales are [BLUE WHALE]s",
      `…${"so ".repeat(100).slice(-58)}a [blue whale]${" and".repeat(30)}…`,
      "The [Blue Whale]",
    ]);
    const [first] = hits;
    const message = await value(stubOf(id).call("getMessage", admin, first?.message_id ?? ""));
    expect(first).toMatchObject({ position: message.position, created_at: message.created_at });
  });

  it("SEARCH1 A search matches its text literally, also wildcards, regular expressions, control characters, emoji and other alphabets", async () => {
    const odd = [
      "100% of a_b",
      "100 of axb",
      "İstanbul and STRASSE",
      "ΟΔΟΣ ΟΔΟΣΑ",
      "a\u0000b 😀😁",
      "half \ud83d end",
      "(a+)+$ [x",
    ];
    const id = await said(odd);
    expect(await texts(id, "%")).toEqual(["100[%] of a_b"]);
    expect(await texts(id, "a_b")).toEqual(["100% of [a_b]"]);
    expect(await texts(id, "AND strasse")).toEqual(["İstanbul [and STRASSE]"]);
    expect(await texts(id, "İSTANBUL")).toEqual(["[İstanbul] and STRASSE"]);
    expect(await texts(id, "οδοσ")).toEqual(["[ΟΔΟΣ] ΟΔΟΣΑ"]);
    expect(await texts(id, "οδοσα")).toEqual(["ΟΔΟΣ [ΟΔΟΣΑ]"]);
    expect(await texts(id, "a\u0000B")).toEqual(["[a\u0000b] 😀😁"]);
    expect(await texts(id, "😁")).toEqual(["a\u0000b 😀[😁]"]);
    expect(await texts(id, "end")).toEqual(["half \ufffd [end]"]);
    expect(await texts(id, "(a+)+$ [")).toEqual(["[(a+)+$ []x"]);
    const wide = await said([`${"😀".repeat(100)}x${"😀".repeat(100)}`]);
    expect(await texts(wide, "x")).toEqual([`…${"😀".repeat(30)}[x]${"😀".repeat(60)}…`]);
  });

  it("SEARCH1 A search shows silent messages only when they are asked for, as the list does", async () => {
    const id = await said(["a secret word"], { silent: true });
    expect(await texts(id, "secret")).toEqual([]);
    expect(await texts(id, "secret", { include_silent: "true" })).toEqual(["a [secret] word"]);
  });

  it("SEARCH1 A search finds nested messages unless max_depth leaves them out, as the list does", async () => {
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "helper", arguments: { task: "help" } }] } : { text: "the outer word" },
    );
    scriptedAnswers.set("helper", () => ({ text: "the nested word" }));
    const id = await newThread("boss");
    await converse(id, "go");
    const listed = async (query: object) => {
      const page = { limit: 100, order: "desc" as const, include_silent: false, ...query };
      const { items } = await value(stubOf(id).call("listMessages", admin, page));
      return items.flatMap(({ role, content }) => (role === "assistant" && content !== null ? [content] : []));
    };
    expect(await listed({})).toEqual(["the outer word", "the nested word"]);
    expect(await texts(id, "word")).toEqual(["the outer [word]", "the nested [word]"]);
    expect(await listed({ max_depth: 0 })).toEqual(["the outer word"]);
    expect(await texts(id, "word", { max_depth: "0" })).toEqual(["the outer [word]"]);
  });

  it("SEARCH2 A search never finds deleted text, text that an edit replaced, or the contents of calls", async () => {
    const id = await said(["a parrot", "a cuckoo"]);
    scripts.set("noted", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "note", arguments: { text: "a parrot in arguments" } }] } : { text: "done" },
    );
    await converse(id, "noted");
    const { hits } = await found(id, "parrot");
    expect(hits.map(marked)).toEqual(["a [parrot]"]);
    await value(stubOf(id).call("deleteMessage", admin, hits[0]?.message_id ?? ""));
    expect(await texts(id, "parrot")).toEqual([]);
    const [cuckoo] = (await found(id, "cuckoo")).hits;
    await value(stubOf(id).call("patchMessage", admin, cuckoo?.message_id ?? "", { content: "a heron" }));
    expect(await texts(id, "cuckoo")).toEqual([]);
    expect(await texts(id, "heron")).toEqual(["a [heron]"]);
  });

  it("SEARCH3 A search continues where a page ended, whatever was added or deleted since", async () => {
    const id = await said(Array.from({ length: 9 }, (_, index) => `needle ${index}`));
    const first = await found(id, "needle", { limit: "3" });
    expect(first.hits.map(marked)).toEqual(["[needle] 8", "[needle] 7", "[needle] 6"]);
    // The message at which the cursor ends, one before and one after it, and a new one.
    const ids = (await found(id, "needle")).hits.map(({ message_id }) => message_id);
    for (const at of [1, 2, 3]) await value(stubOf(id).call("deleteMessage", admin, ids[at] ?? ""));
    await converse(id, "needle new");
    const second = await found(id, "needle", { limit: "3", cursor: first.next_cursor ?? "" });
    expect(second.hits.map(marked)).toEqual(["[needle] 4", "[needle] 3", "[needle] 2"]);
    const last = await found(id, "needle", { limit: "3", cursor: second.next_cursor ?? "" });
    expect([last.hits.map(marked), last.next_cursor]).toEqual([["[needle] 1", "[needle] 0"], null]);
  });

  it("SEARCH3 A search refuses a cursor of another thread or list, an empty or too long text, and unknown fields, and names the field", async () => {
    const [id, other] = [await said(["x 1", "x 2"]), await said(["x 1", "x 2"])];
    const { next_cursor } = await found(other, "x", { limit: "1" });
    const { next_cursor: ofList } = await value(
      stubOf(id).call("listMessages", admin, { limit: 1, order: "asc", include_silent: false }),
    );
    const refused: [Query, string][] = [
      [{ q: "x", cursor: next_cursor ?? "" }, "cursor"],
      [{ q: "x", cursor: ofList ?? "" }, "cursor"],
      [{ q: "x", cursor: "e30" }, "cursor"],
      [{ q: "" }, "q"],
      [{ q: "x".repeat(201) }, "q"],
      [{}, "q"],
      [{ q: "x", limit: "101" }, "limit"],
      [{ q: "x", branch: "none" }, "branch"],
      [{ q: "x", order: "asc" }, "order"],
    ];
    for (const [query, field] of refused) {
      const response = await ask(id, query);
      const { error } = await response.json<{ error: { code: string; details?: { fields?: { path: string }[] } } }>();
      expect([query, response.status, error.code]).toEqual([query, 400, "invalid_request"]);
      expect([query, error.details?.fields?.map(({ path }) => path)]).toEqual([query, [field]]);
    }
    const long = await ask(id, { q: "x".repeat(1024 * 1024) });
    expect([400, 414]).toContain(long.status);
    const headers = { [callerHeader]: JSON.stringify({ user: "mallory", admin: false }) };
    const foreign = await stubOf(id).fetch(new Request(`https://thread${messageSearchPath}?q=x`, { headers }));
    expect(foreign.status).toBe(404);
  });

  it("SEARCH3 A search reads at most 20,000 rows a page, hidden ones included, and writes none", async () => {
    const id = await said(["hay"]);
    await fill(id, 100_000, 2);
    const before = await stubOf(id).rows();
    const pages: { hits: string[]; read: number }[] = [];
    let cursor: string | null = null;
    do {
      const { rowsRead } = await stubOf(id).rows();
      const page: MessageHits = await found(id, "needle", cursor === null ? {} : { cursor });
      pages.push({ hits: page.hits.map(marked), read: (await stubOf(id).rows()).rowsRead - rowsRead });
      cursor = page.next_cursor;
    } while (cursor !== null && pages.length < 10);
    console.info(
      `SEARCH3 rows read by the pages of a search of 100,001 messages: ${pages.map(({ read }) => read).join(", ")}`,
    );
    expect(pages.flatMap(({ hits }) => hits)).toEqual(["[needle] 1", "[needle] 0"]);
    expect(pages).toHaveLength(6);
    for (const { read } of pages) expect(read).toBeLessThanOrEqual(20_000);
    const { rowsWritten } = await stubOf(id).rows();
    expect(rowsWritten - before.rowsWritten).toBe(0);
  }, 60_000);
});
