// Conditions of a change, through the whole Worker: a change applies to the version that its caller has seen, and to no other.

import { describe, expect, it } from "vitest";

import { conflict, errorOf, Files, invalid } from "./thread-files-client.ts";
import type { Headers } from "./thread-files-client.ts";

describe("a condition", () => {
  it("FHTTP14 If-Match and If-None-Match allow a change of the file version that the caller has seen, and of no other version", async () => {
    const files = await Files.ofNewThread();
    const put = (body: string, headers: Headers) => files.outcome("PUT", "/files/a.txt", { body, headers });
    expect(await put("0", { "if-match": "*" })).toEqual(conflict);
    expect(await put("0", { "if-match": '"x"' })).toEqual(conflict);
    expect(await put("1", { "if-none-match": "*" })).toBe(201);
    expect(await put("2", { "if-none-match": "*" })).toEqual(conflict);
    const tag = (await files.get("/a.txt")).headers.get("etag") ?? "";
    expect(await put("2", { "if-none-match": `"x", W/${tag}` })).toEqual(conflict);
    for (const wrong of ['"x"', `W/${tag}`]) expect(await put("2", { "if-match": wrong })).toEqual(conflict);
    for (const nonsense of [tag.slice(1, -1), `${tag},`]) {
      expect(await put("2", { "if-match": nonsense })).toEqual(invalid);
      expect(await put("2", { "if-none-match": nonsense })).toEqual(invalid);
    }
    expect(await put("3", { "if-match": `"x", ${tag}` })).toBe(200);
    expect(await put("4", { "if-match": tag })).toEqual(conflict);
    expect(await put("5", { "if-match": "*", "if-none-match": '"x"' })).toBe(200);
    expect(await (await files.get("/a.txt")).text()).toBe("5");

    expect(await files.outcome("GET", "/files/a.txt", { headers: { "if-match": tag } })).toEqual(conflict);
    expect(await files.outcome("DELETE", "/files/a.txt", { headers: { "if-match": tag } })).toEqual(conflict);
    const now = (await files.get("/a.txt")).headers.get("etag") ?? "";
    expect(await files.outcome("DELETE", "/files/a.txt", { headers: { "if-match": now } })).toBe(204);
  });

  it.each<[string, (tag: string) => Headers]>([
    ["If-None-Match: *", () => ({ "if-none-match": "*" })],
    ["If-Match with the tag both have seen", (tag) => ({ "if-match": tag })],
  ])(
    "FHTTP14 The slower one of two simultaneous writers is refused (condition: %s)",
    async (_condition, headersFor) => {
      const files = await Files.ofNewThread();
      const path = "/a.txt";
      const tag = (await files.put("/other.txt", "old")).headers.get("etag") ?? "";
      const matches = "if-match" in headersFor(tag);
      const received = matches ? ((await files.put(path, "old")).headers.get("etag") ?? "") : "";
      const begin = (value: number) => {
        const { readable, writable } = new IdentityTransformStream();
        const writer = writable.getWriter();
        const answer = files.put(path, readable, headersFor(received));
        const begun = writer.write(new Uint8Array(1_000_000).fill(value));
        return { answer, begun, end: () => writer.close() };
      };
      const [one, two] = [begin(1), begin(2)];
      // This is more than any buffer on the way can hold: the object has received bytes of both, so both have passed the first check.
      await Promise.all([one.begun, two.begun]);
      await one.end();
      const first = await one.answer;
      await two.end();
      const second = await two.answer;
      expect([first.status, second.status]).toEqual([matches ? 200 : 201, 409]);
      expect(errorOf(await second.text())).toBe("conflict");
      const kept = await (await files.get(path)).bytes();
      expect([kept.byteLength, kept[0], kept.at(-1)]).toEqual([1_000_000, 1, 1]);
    },
  );
});
