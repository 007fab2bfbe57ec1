// Messages with files, interrupted by a crash before or after the message is stored.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import type { InputAttachment } from "#contract/input-attachment.ts";
import type { PostMessage } from "#contract/message-route.ts";
import type { RequestKey } from "#core/rpc/thread-rpc.ts";
import { toBase64 } from "#lib/base64.ts";

import { gate } from "../worker/definitions.ts";
import { fileSettings } from "../worker/file-works.ts";
import { waitFor } from "./team-driver.ts";
import { admin, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };
const small: InputAttachment = { name: "a.csv", mime_type: "text/csv", data: btoa("a,b") };
const large: InputAttachment = { name: "b.bin", mime_type: "x/y", data: toBase64(new Uint8Array(1_900_000)) };

afterEach(() => {
  delete fileSettings.bucket;
});

/** Posts a message that waits in a hook, and waits until its files are stored. */
async function paused(id: string, extra: Partial<PostMessage> = {}, key: RequestKey | null = null) {
  const name = `cut_${crypto.randomUUID().slice(0, 8)}`;
  const { open } = gate(name);
  const post = message(`slow:${name}`, { run: false, attachments: [small, large], ...extra });
  const before = (await notes(id)).length;
  const answer = stubOf(id).call("postMessage", admin, post, key);
  // A crash breaks the call.
  answer.catch(() => undefined);
  // The test polls, because the object of the hook may have crashed by then.
  await waitFor(async () => (await notes(id)).length >= before + (post.attachments?.length ?? 0));
  return { answer, open };
}

const messagesOf = async (id: string) => (await value(stubOf(id).call("listMessages", admin, page))).items;
const filesOf = async (id: string): Promise<string[]> => {
  const found = await (await new Files(id).ask("GET", "/files-search?glob=**")).json<{ paths: string[] }>();
  return found.paths;
};

/** The pending files in the thread's row and in its tables of bytes, which no message has. */
const notes = (id: string) =>
  runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, { storage }) => {
    const { background } = JSON.parse(storage.sql.exec<{ body: string }>("SELECT body FROM thread").one().body) as {
      background: { attachments?: { path: string }[] };
    };
    return (background.attachments ?? []).map(({ path }) => path);
  });

function changes(events: readonly ThreadEvent[]): string[] {
  return events.flatMap((event) => (event.type === "file_changed" ? [`${event.change} ${event.path}`] : []));
}

const both = ["/attachments/a.csv", "/attachments/b.bin"];

describe("files of a message", () => {
  it("If a crash happens before a message is stored, the files of the message are deleted, and readers receive an event for each", async () => {
    fileSettings.bucket = null;
    const id = await newThread("seeing");
    await paused(id);
    expect([await filesOf(id), await notes(id)]).toEqual([both, both]);
    await crash(id);
    expect([await filesOf(id), await messagesOf(id), await notes(id)]).toEqual([[], [], []]);
    const following = await follow(id, { after: "0" });
    await following.until(
      (event) => event.type === "file_changed" && event.change === "deleted" && event.path === "/attachments/b.bin",
    );
    expect(changes(following.events)).toEqual([
      "written /attachments/a.csv",
      "written /attachments/b.bin",
      "deleted /attachments/a.csv",
      "deleted /attachments/b.bin",
    ]);
    following.close();
    const { open, answer } = await paused(id);
    open();
    expect((await value(answer)).message?.attachments.map(({ path }) => path)).toEqual(both);
  });

  it.each([
    ["stored", { run: false }],
    ["answered", { run: true }],
  ])("If a crash happens after a message was %s, the files of the message are kept", async (_, extra) => {
    const id = await newThread("seeing");
    const { answer, open } = await paused(id, extra);
    open();
    await value(answer);
    await crash(id);
    expect([await filesOf(id), await notes(id)]).toEqual([both, []]);
    expect((await messagesOf(id))[0]?.attachments.map(({ path }) => path)).toEqual(both);
  });

  it("The files of a queued message are kept after a crash", async () => {
    const id = await newThread("seeing");
    const first = await paused(id, { run: true, attachments: [] });
    const second = await paused(id, { run: true });
    first.open();
    await value(first.answer);
    second.open();
    expect((await value(second.answer)).message?.attachments).toHaveLength(2);
    await crash(id);
    expect([await filesOf(id), await notes(id)]).toEqual([both, []]);
  });

  it("If a crash interrupts a message, files that replaced the message's files are kept, and so are the files of other messages", async () => {
    const id = await newThread("seeing");
    const files = new Files(id);
    await paused(id);
    const other = await paused(id);
    other.open();
    const mine = (await value(other.answer)).message?.attachments.map(({ path }) => path) ?? [];
    await files.put("/attachments/a.csv", "mine now");
    await crash(id);
    expect(await filesOf(id)).toEqual(["/attachments/a.csv", ...mine].sort());
    expect(await (await files.get("/attachments/a.csv")).text()).toBe("mine now");
    expect(await notes(id)).toEqual([]);
  });

  it("Files of an interrupted thread creation are deleted, and the repeated creation stores them again", async () => {
    const id = crypto.randomUUID();
    const { open } = gate(`new${id.slice(0, 8)}`);
    const initial_messages = [{ role: "user", content: `slow:new${id.slice(0, 8)}`, attachments: [small] }];
    const input = { id, agent_id: "seeing", user_id: null, creation: id, initial_messages: initial_messages as never };
    const creating = stubOf(id).call("create", admin, input);
    creating.catch(() => undefined);
    await waitFor(async () => (await notes(id).catch(() => [])).length > 0);
    await crash(id);
    expect([await filesOf(id), await notes(id)]).toEqual([[], []]);
    open();
    await value(stubOf(id).call("create", admin, input));
    expect([await filesOf(id), await notes(id)]).toEqual([["/attachments/a.csv"], []]);
    await crash(id);
    expect((await messagesOf(id))[0]?.attachments.map(({ path }) => path)).toEqual(["/attachments/a.csv"]);
    expect(await filesOf(id)).toEqual(["/attachments/a.csv"]);
  });

  it("If another message uses a message's idempotency key first, files that replaced the message's files are not deleted", async () => {
    const id = await newThread("seeing");
    const files = new Files(id);
    const once = { key: "once", fingerprint: "once" };
    const repeated = await paused(id, {}, once);
    expect((await files.put("/attachments/a.csv", "mine now")).status).toBe(200);
    expect((await files.ask("DELETE", "/files/attachments/b.bin")).status).toBe(204);
    const other = await value(
      stubOf(id).call("postMessage", admin, message("other", { run: false, attachments: [large] }), null),
    );
    expect(other.message?.attachments.map(({ path }) => path)).toEqual(["/attachments/b.bin"]);
    // Meanwhile another message uses the key.
    await value(stubOf(id).call("postMessage", admin, message("quick", { run: false }), once));
    repeated.open();
    expect((await value(repeated.answer)).repeated).toBe(true);
    expect(await filesOf(id)).toEqual(both);
    await crash(id);
    expect(await filesOf(id)).toEqual(both);
    expect(await (await files.get("/attachments/a.csv")).text()).toBe("mine now");
  });

  it("If a second message refers to an attached file, the file is kept although the first message is interrupted by a crash or is a repetition", async () => {
    for (const end of ["cut", "refused"]) {
      const id = await newThread("seeing");
      const once = { key: "once", fingerprint: "once" };
      const { answer, open } = await paused(id, {}, once);
      const refers = { path: "/attachments/a.csv" };
      await value(stubOf(id).call("postMessage", admin, message("other", { run: false, attachments: [refers] }), null));
      if (end === "cut") await crash(id);
      else {
        await value(stubOf(id).call("postMessage", admin, message("quick", { run: false }), once));
        open();
        expect((await value(answer)).repeated).toBe(true);
      }
      expect([end, await filesOf(id), await notes(id)]).toEqual([end, ["/attachments/a.csv"], []]);
      expect((await messagesOf(id))[0]?.attachments.map(({ path }) => path)).toEqual(["/attachments/a.csv"]);
    }
  });

  it("After the attachment of a message is stored, the message writes two rows, one for the message and one for the thread", async () => {
    const id = await newThread("seeing");
    const { answer, open } = await paused(id, { attachments: [small] });
    const before = (await stubOf(id).rows()).rowsWritten;
    open();
    await value(answer);
    // The rows are those of the message and of the thread.
    expect((await stubOf(id).rows()).rowsWritten - before).toBe(2);
  });
});
