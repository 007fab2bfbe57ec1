// Exports a thread from a running server with curl and imports it again, also with files that were damaged or
// interrupted on the way.

import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { afterAll, describe, expect, it } from "vitest";

import { threadSchema } from "#contract/thread.ts";

import { ApiClient, codeOf } from "../../support/http-client/api-client.ts";
import type { DevServer } from "../dev-server.ts";
import { codeIn, rawCall, RawRequest } from "../support/raw-request.ts";

const run = promisify(execFile);
const mib = 1024 * 1024;
const ndjson = { "content-type": "application/x-ndjson" };

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export function exportAndImport(use: () => DevServer): void {
  describe("a thread over the network", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "export-"));
    const file = path.join(folder, "thread.ndjson");
    const as = (user: string): ApiClient => new ApiClient(use().url, { authorization: `Bearer ${user}-secret` });

    afterAll(() => rmSync(folder, { recursive: true }));

    /** Runs curl as a user. Returns the status and the body of the response. */
    async function curl(user: string, ...args: string[]): Promise<{ status: string; body: string }> {
      const authorization = `authorization: Bearer ${user}-secret`;
      const { stdout } = await run("curl", ["-sS", "-H", authorization, "-w", "\n%{http_code}", ...args]);
      const at = stdout.lastIndexOf("\n");
      return { status: stdout.slice(at + 1), body: stdout.slice(0, at) };
    }

    const exportTo = (user: string, id: string, to = file) =>
      curl(user, "-o", to, `${use().url}/api/threads/${id}/export?files=true`);
    const importFrom = (user: string, from = file, headers: string[] = []) => {
      const given = ["content-type: application/x-ndjson", ...headers].flatMap((header) => ["-H", header]);
      return curl(user, "-X", "POST", ...given, "-T", from, `${use().url}/api/threads/import`);
    };

    /** A thread of Emma's with a conversation and 10 MiB of files. */
    async function emmas() {
      const emma = as("emma");
      const { id } = await emma.createThread("assistant", { title: "to keep", metadata: { a: 1 } });
      await emma.say(id, "Hello there");
      await emma.say(id, "And again");
      const bytes = randomBytes(10 * mib);
      await rawCall(emma, "PUT", `/api/threads/${id}/files/large.bin`, { body: bytes });
      await rawCall(emma, "PUT", `/api/threads/${id}/files/deep/er/notes.txt`, { body: Buffer.from("notes") });
      return { emma, id, bytes };
    }

    /** Every stored event of a thread. */
    async function kept(client: ApiClient, id: string): Promise<unknown[]> {
      const feed = await client.events(id, "after=0&until=idle");
      await feed.untilEnd();
      return feed.events.map((event) => ({ ...event, prev: 0 }));
    }

    it("EXPORT2, EXPORT5 A thread is exported, deleted and imported by curl, and continues", async () => {
      const { emma, id, bytes } = await emmas();
      const [thread, messages, runs, logs] = [
        await emma.thread(id),
        await emma.messages(id),
        await emma.runs(id),
        await emma.logs(id),
      ];
      const events = await kept(emma, id);
      expect(await exportTo("emma", id)).toEqual({ status: "200", body: "" });
      expect((await emma.call("DELETE", `/api/threads/${id}`)).status).toBe(204);
      expect((await emma.call("GET", `/api/threads/${id}`)).status).toBe(404);
      const { status, body } = await importFrom("emma");
      expect([status, threadSchema.parse(JSON.parse(body))]).toEqual(["201", thread]);
      expect([await emma.messages(id), await emma.runs(id), await emma.logs(id)]).toEqual([messages, runs, logs]);
      expect(await kept(emma, id)).toEqual(events);
      const back = await rawCall(emma, "GET", `/api/threads/${id}/files/large.bin`);
      expect(hashOf(back.body)).toBe(hashOf(bytes));
      for (const [begin, end] of [
        [0, 0],
        [1_835_000, 1_836_000],
        [bytes.length - 5, bytes.length - 1],
      ] as const) {
        const headers = { range: `bytes=${begin}-${end}` };
        const part = await rawCall(emma, "GET", `/api/threads/${id}/files/large.bin`, { headers });
        expect([part.status, part.body.equals(bytes.subarray(begin, end + 1))]).toEqual([206, true]);
      }
      const found = async () => (await emma.call("GET", "/api/threads?q=to%20keep")).text;
      await expect.poll(found).toContain(id);
      const again = await emma.say(id, "And on");
      expect(again.run.status).toBe("completed");
      expect(await emma.messages(id)).toHaveLength(messages.length + 2);
      expect((await emma.thread(id)).last_seq).toBeGreaterThan(thread.last_seq);
    });

    it("IMPORT5, IMPORT6, IMPORT16 An imported thread belongs to the importer, and an import of an id in use, without credentials, of a cut file or of another format is refused with a code", async () => {
      const { emma, id } = await emmas();
      await exportTo("emma", id);
      expect((await exportTo("eric", id, path.join(folder, "other"))).status).toBe("404");
      const refused = async (user: string, from?: string) => {
        const { status, body } = await importFrom(user, from);
        return [status, (JSON.parse(body) as { error: { code: string } }).error.code];
      };
      expect(await refused("emma")).toEqual(["409", "conflict"]);
      expect(await refused("eric")).toEqual(["409", "conflict"]);
      const nobody = new ApiClient(use().url);
      expect((await nobody.call("GET", `/api/threads/${id}/export`)).status).toBe(401);
      expect((await nobody.call("POST", "/api/threads/import", { body: "{}", headers: ndjson })).status).toBe(401);
      await emma.call("DELETE", `/api/threads/${id}`);
      const text = readFileSync(file);
      const cut = path.join(folder, "cut.ndjson");
      for (const end of [40, 5000, 6 * mib, text.length - 60]) {
        writeFileSync(cut, text.subarray(0, end));
        expect([end, ...(await refused("emma", cut))]).toEqual([end, "400", "invalid_request"]);
      }
      const json = await emma.call("POST", "/api/threads/import", { json: {} });
      expect([json.status, codeOf(json)]).toEqual([415, "unsupported_media_type"]);
      const zipped = { ...ndjson, "content-encoding": "gzip" };
      const packed = await emma.call("POST", "/api/threads/import", { body: "x", headers: zipped });
      expect([packed.status, codeOf(packed)]).toEqual([415, "unsupported_media_type"]);
      for (const body of [
        "",
        "{}",
        "[]",
        "no json",
        '{"format":"threadhold-thread","version":9}\n',
        "x".repeat(10_000),
      ]) {
        const answer = await emma.call("POST", "/api/threads/import", { body, headers: ndjson });
        expect([body.slice(0, 20), answer.status, codeOf(answer)]).toEqual([body.slice(0, 20), 400, "invalid_request"]);
      }
      // A file that is no export is refused however long it is, and its sender receives the reason.
      const long = await rawCall(emma, "POST", "/api/threads/import", { body: randomBytes(8 * mib), headers: ndjson });
      expect([long.status, codeIn(long)]).toEqual([400, "invalid_request"]);
      expect((await emma.call("GET", `/api/threads/${id}`)).status).toBe(404);
      const { status, body } = await importFrom("eric");
      expect([status, threadSchema.parse(JSON.parse(body)).user_id]).toEqual(["201", "eric"]);
      expect((await emma.call("GET", `/api/threads/${id}`)).status).toBe(404);
      await exportTo("eric", id);
      await as("eric").call("DELETE", `/api/threads/${id}`);
      expect(threadSchema.parse(JSON.parse((await importFrom("admin")).body)).user_id).toBe("eric");
      expect(use().output()).not.toContain("internal_error");
      expect(use().output()).not.toContain("thread_failed");
    });

    it("IMPORT16 The response to an import with a line that is too long, or with a file that is too large, has the code too_large and states the reason", async () => {
      const { emma, id } = await emmas();
      await exportTo("emma", id);
      await emma.call("DELETE", `/api/threads/${id}`);
      const text = readFileSync(file);
      const header = text.subarray(0, text.indexOf("\n") + 1);
      const long = Buffer.concat([header, Buffer.alloc(16 * mib, "x")]);
      const withSize = (line: string) => line.replace(`"size":${10 * mib}`, `"size":${2 ** 40}`);
      const large = Buffer.from(text.toString("latin1").replace(/^{"type":"file".*large\.bin.*$/m, withSize), "latin1");
      for (const [body, reason] of [
        [long, /^Line 2 has more than \d+ bytes\.$/],
        [large, /large\.bin has 1099511627776 bytes; a file has at most \d+ here\./],
      ] as const) {
        const refused = await rawCall(emma, "POST", "/api/threads/import", { body, headers: ndjson });
        expect([refused.status, codeIn(refused)]).toEqual([413, "too_large"]);
        const { error } = JSON.parse(refused.body.toString()) as { error: { message: string } };
        expect(error.message).toMatch(reason);
      }
      expect((await emma.call("GET", `/api/threads/${id}`)).status).toBe(404);
    });

    it("IMPORT17 An import that is repeated with its idempotency key returns the thread, and is a conflict with another file or a deleted thread", async () => {
      const { emma, id } = await emmas();
      await exportTo("emma", id);
      await emma.call("DELETE", `/api/threads/${id}`);
      const key = [`idempotency-key: import-${id}`];
      const status = async (user: string, from = file) => (await importFrom(user, from, key)).status;
      expect([await status("emma"), await status("emma")]).toEqual(["201", "201"]);
      expect(await status("eric")).toBe("409");
      expect((await importFrom("emma")).status).toBe("409");
      // The same thread, exported again: another first line.
      const other = path.join(folder, "other.ndjson");
      await exportTo("emma", id, other);
      expect(await status("emma", other)).toBe("409");
      // The same first line with another end.
      const changed = path.join(folder, "changed.ndjson");
      writeFileSync(changed, readFileSync(file).toString("latin1").replace("Hello there", "Hello where"), "latin1");
      expect(await status("emma", changed)).toBe("400");
      await emma.call("DELETE", `/api/threads/${id}`);
      expect(await status("emma")).toBe("409");
      expect((await importFrom("emma")).status).toBe("201");
    });

    it("IMPORT10 If the connection of an import breaks, nothing is stored, and the same import can be repeated", async () => {
      const { emma, id } = await emmas();
      await exportTo("emma", id);
      await emma.call("DELETE", `/api/threads/${id}`);
      const text = readFileSync(file);
      const broken = new RawRequest(emma, "POST", "/api/threads/import", ndjson);
      for (let at = 0; at < 6 * mib; at += mib) await broken.write(text.subarray(at, at + mib));
      broken.vanish();
      let last = await importFrom("emma");
      for (let tries = 0; tries < 200 && last.status === "409"; tries += 1) last = await importFrom("emma");
      expect(last.status).toBe("201");
      expect(await emma.messages(id)).toHaveLength(4);
    });
  });
}
