// The events about files that followers of a thread receive.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import type { EventOf, ThreadEvent } from "#contract/event.ts";
import { emptyView, fold, foldAll } from "#contract/fold.ts";

import { crash, follow, newThread } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

type Changed = EventOf<"file_changed">;

function changes(events: readonly ThreadEvent[]): string[] {
  return events
    .filter((event): event is Changed => event.type === "file_changed")
    .map(({ path, change, file }) => `${change} ${path} ${file === null ? "-" : file.size}`);
}

const emitted = [
  "written /a/b.txt 3",
  "written /a/b.txt 4",
  "written /made 0",
  "deleted /made -",
  "deleted /a/b.txt -",
  "written /last 1",
];

describe("changes of files", () => {
  it("Each change of a file is emitted as one event, which a replay after a crash repeats unchanged and the client's fold function accepts", async () => {
    const id = await newThread("filer");
    const files = new Files(id);
    const live = await follow(id, { after: "0" });
    await files.put("/a/b.txt", "one");
    await files.put("/a/./b.txt", "four");
    expect(await files.outcome("PUT", "/files/a%2F..%2F..%2Fx", { body: "x" })).toEqual([400, "invalid_request"]);
    expect(await files.outcome("PUT", "/files/a", { body: "x" })).toEqual([409, "conflict"]);
    await files.ask("PUT", "/files/made?mkdir");
    // Files that exist already are not reported, and neither are folders that appear and disappear with their files.
    await files.ask("PUT", "/files/made?mkdir");
    await files.ask("DELETE", "/files/made");
    expect(await files.outcome("DELETE", "/files/made")).toEqual([404, "file_not_found"]);
    await files.ask("DELETE", "/files/a/b.txt");
    await files.put("/last", "x");
    await live.until((event) => event.type === "file_changed" && event.path === "/last");
    expect(changes(live.events)).toEqual(emitted);
    const seqs = live.events.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((left, right) => left - right));
    live.close();
    await crash(id);
    const again = await follow(id, { after: "0" });
    await again.until((event) => event.type === "file_changed" && event.path === "/last");
    expect(changes(again.events)).toEqual(emitted);
    expect(again.events.filter(({ type }) => type === "file_changed")).toEqual(
      live.events.filter(({ type }) => type === "file_changed"),
    );
    again.close();
    const view = foldAll(again.events);
    expect(view.last_seq).toBe(again.events.at(-1)?.seq);
    expect(fold(view, again.events.at(-1) as ThreadEvent)).toBe(view);
    expect(view.messages).toEqual(emptyView.messages);
  });

  it("A change of a file is not made if its event cannot be written", async () => {
    const id = await newThread("filer");
    const files = new Files(id);
    await files.put("/a.txt", "old");
    await files.ask("PUT", "/files/made?mkdir");
    const exec = (sql: string) =>
      runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, { storage }) => void storage.sql.exec(sql));
    await exec("CREATE TRIGGER full BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'no event'); END");
    const broken = [500, "internal"];
    expect(await files.outcome("PUT", "/files/a.txt", { body: "new" })).toEqual(broken);
    expect(await files.outcome("PUT", "/files/b/c.txt", { body: "new" })).toEqual(broken);
    expect(await files.outcome("PUT", "/files/folder?mkdir")).toEqual(broken);
    expect(await files.outcome("DELETE", "/files/a.txt")).toEqual(broken);
    expect(await files.outcome("DELETE", "/files/made")).toEqual(broken);
    await crash(id);
    expect(await files.listed("/")).toEqual(["/a.txt", "/made"]);
    expect(await (await files.get("/a.txt")).text()).toBe("old");
    await exec("DROP TRIGGER full");
    await files.put("/last", "x");
    const again = await follow(id, { after: "0" });
    await again.until((event) => event.type === "file_changed" && event.path === "/last");
    expect(changes(again.events)).toEqual(["written /a.txt 3", "written /made 0", "written /last 1"]);
    again.close();
  });

  it("The event of a changed file contains the whole record", async () => {
    const id = await newThread("filer");
    const files = new Files(id);
    const live = await follow(id, { after: "0" });
    await files.put("/a.txt", "text", { "content-type": "text/plain" });
    const event = (await live.until(({ type }) => type === "file_changed")) as Changed;
    expect(event.file).toEqual(await (await files.get("/a.txt?stat")).json());
    expect(event.thread_id).toBe(id);
    live.close();
  });
});
