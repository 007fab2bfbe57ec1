// A thread's files over the network: a real wrangler dev and real connections, some of them broken on purpose.

import { createHash, randomBytes } from "node:crypto";

import { describe, expect, it } from "vitest";

import { ApiClient, codeOf } from "../../support/http-client/api-client.ts";
import type { DevServer } from "../dev-server.ts";
import { codeIn, rawCall, RawRequest } from "../support/raw-request.ts";

const mib = 1024 * 1024;
/** The largest number of bytes of a file on the server. */
export const fileLimit = 32 * mib;

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export function filesOverTheNetwork(use: () => DevServer): void {
  describe("files over the network", () => {
    const as = (user: string): ApiClient => new ApiClient(use().url, { authorization: `Bearer ${user}-secret` });

    /** A new thread of Fay's, and the path of its files. */
    async function fays(): Promise<{ fay: ApiClient; id: string; files: string }> {
      const fay = as("fay");
      const { id } = await fay.createThread();
      return { fay, id, files: `/api/threads/${id}/files` };
    }

    it("FHTTP4, FHTTP11 A file that was sent in chunks or at once is read unchanged", async () => {
      const { fay, files } = await fays();
      const bytes = randomBytes(24 * mib);
      const chunked = new RawRequest(fay, "PUT", `${files}/big.bin`);
      for (let at = 0; at < bytes.byteLength; at += mib) await chunked.write(bytes.subarray(at, at + mib));
      chunked.end();
      expect((await chunked.answer()).status).toBe(201);
      expect((await rawCall(fay, "PUT", `${files}/whole.bin`, { body: bytes })).status).toBe(201);
      for (const path of [`${files}/big.bin`, `${files.replace("/api/", "/api/~/")}/whole.bin`]) {
        const back = await rawCall(fay, "GET", path);
        expect([path, back.status, back.headers["content-length"]]).toEqual([path, 200, String(bytes.byteLength)]);
        expect(hashOf(back.body)).toBe(hashOf(bytes));
        const head = await rawCall(fay, "HEAD", path);
        expect([head.status, head.headers["content-length"], head.body.byteLength]).toEqual([
          200,
          String(bytes.byteLength),
          0,
        ]);
        expect(head.headers.etag).toBe(back.headers.etag);
      }
      const part = await rawCall(fay, "GET", `${files}/big.bin`, { headers: { range: "bytes=5000000-15000000" } });
      expect([part.status, part.headers["content-range"]]).toEqual([206, `bytes 5000000-15000000/${24 * mib}`]);
      expect(hashOf(part.body)).toBe(hashOf(bytes.subarray(5_000_000, 15_000_001)));
      const known = await rawCall(fay, "GET", `${files}/big.bin`, {
        headers: { "if-none-match": part.headers.etag ?? "" },
      });
      expect([known.status, known.body.byteLength]).toEqual([304, 0]);
      const none = await rawCall(fay, "GET", `${files}/big.bin`, { headers: { range: `bytes=${24 * mib}-` } });
      expect([none.status, none.headers["content-range"]]).toEqual([416, `bytes */${24 * mib}`]);
    });

    it("FHTTP2 A path that leads to another user's file is refused, however it is written", async () => {
      const [{ fay, id, files }, finn] = [await fays(), as("finn")];
      const { id: bens } = await finn.createThread();
      await rawCall(finn, "PUT", `/api/threads/${bens}/files/secret.txt`, { body: Buffer.from("secret") });
      const target = `threads/${bens}/files/secret.txt`;
      for (const path of [
        `../../${bens}/files/secret.txt`,
        `%2e%2e/%2e%2e/${bens}/files/secret.txt`,
        `..%2f..%2f${bens}%2ffiles%2fsecret.txt`,
        `..%2f..%2f..%2f${encodeURIComponent(target)}`,
        `%252e%252e%252f%252e%252e%252f${bens}/files/secret.txt`,
        `..%5c..%5c${bens}%5cfiles%5csecret.txt`,
        `%c0%ae%c0%ae/%c0%ae%c0%ae/${bens}/files/secret.txt`,
        `%e0%80%ae%e0%80%ae/secret.txt`,
        `.%00./secret.txt`,
        `%2fetc%2fpasswd`,
        `;/../${target}`,
      ]) {
        for (const method of ["GET", "DELETE", "PUT"]) {
          const body = method === "PUT" ? { body: Buffer.from("stolen") } : {};
          const answer = await rawCall(fay, method, `${files}/${path}`, body);
          // A strange name may be the name of a file of her own.
          if (method !== "PUT" || answer.status >= 300) {
            expect([method, path, [400, 404].includes(answer.status)]).toEqual([method, path, true]);
          }
          expect(answer.body.toString()).not.toContain('secret"');
          await rawCall(fay, "DELETE", `${files}/${path}`);
        }
      }
      expect((await rawCall(finn, "GET", `/api/threads/${bens}/files/secret.txt`)).body.toString()).toBe("secret");
      expect((await fay.call("GET", `/api/threads/${id}/files-stats`)).body).toMatchObject({ totalSize: 0 });
      expect(use().output()).not.toContain("internal_error");
    });

    it("Another user's thread shows no files, and an upload to it is refused whatever its length", async () => {
      const { fay, id, files } = await fays();
      await rawCall(fay, "PUT", `${files}/a.txt`, { body: Buffer.from("fays") });
      const finn = as("finn");
      for (const path of ["", "/", "/a.txt", "/a.txt?stat", "/a.txt?thumbnail"]) {
        const answer = await finn.call("GET", `${files}${path}`);
        expect([path, answer.status, codeOf(answer)]).toEqual([path, 404, "thread_not_found"]);
      }
      const big = await rawCall(finn, "PUT", `${files}/a.txt`, { body: randomBytes(10 * mib) });
      expect([big.status, codeIn(big)]).toEqual([404, "thread_not_found"]);
      for (const [method, path] of [
        ["DELETE", `${files}/a.txt`],
        ["PUT", `${files}/b?mkdir`],
        ["GET", `/api/threads/${id}/files-search?glob=**`],
        ["GET", `/api/threads/${id}/files-stats`],
      ] as const) {
        const answer = await finn.call(method, path);
        expect([method, path, answer.status, codeOf(answer)]).toEqual([method, path, 404, "thread_not_found"]);
      }
      expect((await fay.call("GET", `${files}/a.txt`)).text).toBe("fays");
      expect((await fay.call("GET", `/api/threads/${id}/files-search?glob=**`)).body).toEqual({
        paths: ["/a.txt"],
        truncated: false,
      });
    });

    it("FHTTP12 A file over the limit is refused by its declared length and by its actual length, and the old file stays", async () => {
      const { fay, files } = await fays();
      const path = `${files}/a.txt`;
      const old = await rawCall(fay, "PUT", path, { body: Buffer.from("old") });
      const tooLarge = async (sent: RawRequest): Promise<void> => {
        const answer = await sent.answer();
        expect([answer.status, codeIn(answer)]).toEqual([413, "too_large"]);
        expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { details: { limit: fileLimit } } });
      };
      // Only the header with the length is sent, no body.
      await tooLarge(new RawRequest(fay, "PUT", path, { "content-length": String(fileLimit + 1) }));
      const counted = new RawRequest(fay, "PUT", path);
      const piece = randomBytes(mib);
      for (let sent = 0; sent <= fileLimit; sent += piece.byteLength) await counted.write(piece);
      counted.end();
      await tooLarge(counted);
      const claimed = new RawRequest(fay, "PUT", path, { "content-length": String(fileLimit + mib) });
      for (let sent = 0; sent <= fileLimit; sent += piece.byteLength) await claimed.write(piece);
      claimed.end();
      await tooLarge(claimed);
      const now = await rawCall(fay, "GET", path);
      expect([now.headers.etag, now.body.toString()]).toEqual([old.headers.etag, "old"]);
      const exact = new RawRequest(fay, "PUT", path);
      for (let sent = 0; sent < fileLimit; sent += piece.byteLength) await exact.write(piece);
      exact.end();
      expect((await exact.answer()).status).toBe(200);
    });

    it("FHTTP13 If an upload breaks off, the old file remains, with or without a declared length", async () => {
      const { fay, id, files } = await fays();
      const path = `${files}/a.bin`;
      const old = await rawCall(fay, "PUT", path, { body: Buffer.from("old") });
      const stays = async (): Promise<void> => {
        const now = await rawCall(fay, "GET", path);
        expect([now.headers.etag, now.body.toString()]).toEqual([old.headers.etag, "old"]);
      };
      for (const headers of [{ "content-length": String(8 * mib) }, {}]) {
        for (const target of [path, `${files}/new.bin`]) {
          const broken = new RawRequest(fay, "PUT", target, headers);
          await broken.write(randomBytes(3 * mib));
          await broken.breakOff();
          await stays();
          const gone = new RawRequest(fay, "PUT", target, headers);
          await gone.write(randomBytes(3 * mib));
          gone.vanish();
          await stays();
        }
      }
      // A complete upload, after which the server has had time to handle the interrupted one.
      expect((await rawCall(fay, "PUT", `${files}/other.bin`, { body: randomBytes(4 * mib) })).status).toBe(201);
      await stays();
      expect((await fay.call("GET", `/api/threads/${id}/files-search?glob=**`)).body).toEqual({
        paths: ["/a.bin", "/other.bin"],
        truncated: false,
      });
      expect(use().output()).not.toContain("thread_failed");
    });

    it("If a client disconnects while its upload waits for a slot, other uploads are not delayed, and its file is not stored", async () => {
      const { fay, id, files } = await fays();
      const holders = ["1", "2", "3"].map((name) => new RawRequest(fay, "PUT", `${files}/held-${name}`));
      for (const holder of holders) await holder.write(randomBytes(8 * mib));
      const left = ["1", "2", "3", "4"].map((name) => new RawRequest(fay, "PUT", `${files}/left-${name}`));
      for (const one of left) await one.write(randomBytes(1000));
      const late = rawCall(fay, "PUT", `${files}/late`, { body: randomBytes(mib) });
      for (const [at, one] of left.entries()) {
        if (at % 2 === 0) await one.breakOff();
        else one.vanish();
      }
      for (const holder of holders) holder.end();
      for (const holder of holders) expect((await holder.answer()).status).toBe(201);
      expect((await late).status).toBe(201);
      expect((await fay.call("GET", `/api/threads/${id}/files-search?glob=**`)).body).toEqual({
        paths: ["/held-1", "/held-2", "/held-3", "/late"],
        truncated: false,
      });
      expect(use().output()).not.toContain("thread_failed");
    });

    it("FHTTP14 Of two simultaneous uploads with the same If-Match or If-None-Match condition, one is refused with 409", async () => {
      const { fay, files } = await fays();
      const path = `${files}/a.bin`;
      const both = async (headers: Record<string, string>): Promise<number[]> => {
        const writers = ["one", "two"].map(() => new RawRequest(fay, "PUT", path, headers));
        for (const writer of writers) await writer.write(randomBytes(3 * mib));
        for (const writer of writers) writer.end();
        const answers = await Promise.all(writers.map((writer) => writer.answer()));
        return answers.map(({ status }) => status).sort((left, right) => left - right);
      };
      expect(await both({ "if-none-match": "*" })).toEqual([201, 409]);
      const { headers } = await rawCall(fay, "HEAD", path);
      expect(await both({ "if-match": headers.etag ?? "" })).toEqual([200, 409]);
      // Without an etag the last upload wins, as a whole.
      expect(await both({})).toEqual([200, 200]);
      expect((await rawCall(fay, "GET", path)).body.byteLength).toBe(3 * mib);
    });

    it("FHTTP20 If a file is replaced while it is read, the reader never receives parts of two versions", async () => {
      const { fay, files } = await fays();
      const path = `${files}/a.bin`;
      const [first, second] = [Buffer.alloc(24 * mib, 1), Buffer.alloc(24 * mib, 2)];
      await rawCall(fay, "PUT", path, { body: first });
      const reading = new RawRequest(fay, "GET", path);
      reading.end();
      const response = await reading.response();
      response.pause();
      expect((await rawCall(fay, "PUT", path, { body: second })).status).toBe(200);
      const pieces: Buffer[] = [];
      const outcome = await (async () => {
        for await (const piece of response) pieces.push(piece as Buffer);
        return "whole";
      })().catch(() => "broken");
      const got = Buffer.concat(pieces);
      // The sockets' buffers decide how much was on its way when the file was replaced: all of it, or not.
      expect([outcome === "whole", got.includes(2)]).toEqual([got.byteLength === first.byteLength, false]);
      expect(hashOf((await rawCall(fay, "GET", path)).body)).toBe(hashOf(second));
    });
  });
}
