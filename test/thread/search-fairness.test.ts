// What a search costs other requests: it works in slices, so that other requests of the isolate are answered meanwhile; few run at a time;
// and a search ends with its request.

import { describe, expect, it } from "vitest";

import { waitFor } from "./team-driver.ts";
import { admin, newThread, stubOf, value } from "./thread-driver.ts";
import { errorOf, Files } from "./thread-files-client.ts";
import type { Sent } from "./thread-files-client.ts";

/** A pattern that costs the engine most for each character, and lines that it never matches. */
const heavy = "(a|b)*a(a|b){12}[cd]";
const lines = (count: number): string => `${"abbaab".repeat(20)}\n`.repeat(count);

const search = (files: Files, grep = heavy, sent: Sent = {}): Promise<Response> =>
  files.ask("GET", `/files-search?grep=${encodeURIComponent(grep)}`, sent);

/** A thread with files that each take at least a slice. */
async function searchable(count = 1, size = 5000): Promise<{ id: string; files: Files }> {
  const id = await newThread("parallel");
  const files = new Files(id);
  for (let index = 0; index < count; index += 1) {
    expect((await files.put(`/${index}.txt`, lines(size))).status).toBe(201);
  }
  return { id, files };
}

describe("a search", () => {
  it("A search of files does not block requests to its thread or to other threads until it ends", async () => {
    const { files } = await searchable(1, 10_000);
    const other = stubOf(await newThread("parallel"));
    const order: string[] = [];
    const searching = search(files).then(async (response) => {
      expect(await response.json()).toEqual({ results: [], truncated: false });
      order.push("search");
    });
    await value(other.call("describe", admin));
    order.push("another thread");
    expect(await files.stats()).toMatchObject({ fileCount: 1 });
    order.push("its own thread");
    await searching;
    expect(order).toEqual(["another thread", "its own thread", "search"]);
  });

  it("A search of files is refused while two searches of its thread are under way, and the response names the time to wait", async () => {
    const { files } = await searchable();
    const answers = await Promise.all([search(files), search(files), search(files), search(files)]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(2);
    const refused = answers.findIndex(({ status }) => status === 429);
    expect([errorOf(texts[refused] ?? ""), answers[refused]?.headers.get("retry-after")]).toEqual([
      "rate_limited",
      "2",
    ]);
    expect((await search(files)).status).toBe(200);
  });

  it("A search of files ends when its request is aborted, and reads no further file", async () => {
    const { id, files } = await searchable(30, 400);
    const rowsRead = async () => (await stubOf(id).rows()).rowsRead;
    const before = await rowsRead();
    await search(files);
    const begun = await rowsRead();
    const whole = begun - before;
    expect(whole).toBeGreaterThan(30);
    // There are two slots, and this search reads no row: it is refused while they are taken.
    const quick = async () => (await files.ask("GET", "/files-search?grep=x&path=none")).status;
    const leaving = new AbortController();
    const left = [0, 1].map(() => search(files, heavy, { signal: leaving.signal }).catch((thrown: unknown) => thrown));
    await waitFor(async () => (await quick()) === 429, 50);
    leaving.abort();
    for (const one of await Promise.all(left)) expect(one).toBeInstanceOf(Error);
    await waitFor(async () => (await Promise.all([quick(), quick()])).every((status) => status === 200), 50);
    expect((await rowsRead()) - begun).toBeLessThan(2 * whole);
  });
});
