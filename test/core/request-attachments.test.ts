// Which files of the thread a request contains, and the text that replaces the others.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { AttachmentRef } from "#contract/attachment.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";
import { withAttachments } from "#core/request/request-attachments.ts";
import type { AttachmentView } from "#core/request/request-attachments.ts";
import { fromBase64, toBase64 } from "#lib/base64.ts";
import { defineModel } from "#spec/index.ts";
import type { ModelCapabilities } from "#spec/index.ts";

import { MemoryFiles, pngBytes } from "../support/memory-files.ts";

const seed = Date.now() % 2 ** 31;

const model = (capabilities: ModelCapabilities = {}) =>
  defineModel({ name: "m", provider: "test", model: "m", capabilities });

function user(...parts: StoredPart[]): ModelMessage {
  return { id: "u", role: "user", parts, name: null, tool_call_id: null, result: null };
}

function image(path: string, more: object = {}): StoredPart {
  return { type: "image", mime_type: "image/png", path, name: path.slice(13), size: 64, ...more };
}

const words = (text: string): StoredPart => ({ type: "text", text });

/** A request with files, for a model with vision. */
async function sent(messages: ModelMessage[], files: MemoryFiles, more: Partial<AttachmentView> = {}) {
  return withAttachments(messages, { files: files.port, models: [model()], recent: undefined, ...more });
}

function withPng(...names: string[]): MemoryFiles {
  const files = new MemoryFiles();
  for (const name of names) files.put(`/attachments/${name}`, pngBytes(), "image/png");
  return files;
}

const shownIn = (messages: readonly ModelMessage[]) =>
  messages.map(({ parts }) =>
    parts.map((part) => (part.type === "text" ? part.text : "data" in part ? `bytes of ${part.path}` : part.type)),
  );

describe("images", () => {
  it("An image of the thread is sent as its bytes, and the stored part is not changed", async () => {
    const files = withPng("cat.png");
    const stored = user(words("Look"), image("/attachments/cat.png"));
    const [message] = await sent([stored], files);
    expect(message?.parts[1]).toMatchObject({ type: "image", mime_type: "image/png", data: toBase64(pngBytes()) });
    expect(stored.parts[1]).toEqual(image("/attachments/cat.png"));
  });

  it("The type of a sent image follows from its bytes and not from its declared type, and bytes that are no image are sent as a line of text", async () => {
    const files = new MemoryFiles();
    files.put("/attachments/a.jpg", pngBytes(), "image/jpeg");
    files.put("/attachments/b.png", new TextEncoder().encode("<html>"), "image/png");
    files.put("/attachments/c.png", new Uint8Array(), "image/png");
    const [message] = await sent(
      [
        user(
          image("/attachments/a.jpg", { mime_type: "image/jpeg" }),
          image("/attachments/b.png"),
          image("/attachments/c.png"),
        ),
      ],
      files,
    );
    expect(message?.parts[0]).toMatchObject({ mime_type: "image/png", data: toBase64(pngBytes()) });
    expect(message?.parts.slice(1)).toEqual([
      words("[image: b.png, image/png, 6 bytes, /attachments/b.png; not a PNG, JPEG, GIF or WebP image]"),
      words("[image: c.png, image/png, 0 bytes, /attachments/c.png; not a PNG, JPEG, GIF or WebP image]"),
    ]);
  });

  it("A document, a recording or a video without bytes is sent as a line of text", async () => {
    const types = ["application/pdf", "audio/mpeg", "video/mp4"];
    const files = new MemoryFiles();
    for (const [at, type] of types.entries()) files.put(`/attachments/${at}`, new Uint8Array(), type);
    const parts = types.map((mime_type, at) => ({
      type: "file" as const,
      path: `/attachments/${at}`,
      name: `${at}`,
      mime_type,
      size: 0,
    }));
    const [message] = await sent([user(...parts)], files);
    expect(message?.parts).toEqual(
      types.map((type, at) => words(`[file: ${at}, ${type}, 0 bytes, /attachments/${at}; the file is empty]`)),
    );
  });

  it("Images in messages older than the threshold are sent as lines of text with name and size, and are not read", async () => {
    const files = withPng("old.png", "new.png");
    const messages = [user(image("/attachments/old.png")), user(words("a")), user(image("/attachments/new.png"))];
    expect(shownIn(await sent(messages, files, { recent: 2 }))).toEqual([
      ["[image: old.png, image/png, 64 bytes, /attachments/old.png]"],
      ["a"],
      ["bytes of /attachments/new.png"],
    ]);
    expect(files.reads).toEqual(["/attachments/new.png"]);
    for (const recent of [0, -1, Number.NaN]) {
      expect(
        shownIn(await sent(messages, files, { recent }))
          .flat()
          .join(),
      ).not.toContain("bytes of");
    }
  });

  it("If the prompt sets no threshold, images of the last ten messages are sent as images, and older ones as lines of text", async () => {
    const messages = Array.from({ length: 12 }, (_, at) => user(image(`/attachments/${at}.png`)));
    const files = withPng(...messages.map((_, at) => `${at}.png`));
    const shown = shownIn(await sent(messages, files)).map(([first]) => first?.startsWith("bytes") === true);
    expect(shown).toEqual([false, false, ...Array.from({ length: 10 }, () => true)]);
  });

  it("Images are sent as lines of text and are not read if neither the model nor its fallbacks have vision", async () => {
    const files = withPng("cat.png");
    const blind = model({ vision: false });
    expect(shownIn(await sent([user(image("/attachments/cat.png"))], files, { models: [blind, blind] }))).toEqual([
      ["[image: cat.png, image/png, 64 bytes, /attachments/cat.png]"],
    ]);
    expect(files.reads).toEqual([]);
    const mixed = await sent([user(image("/attachments/cat.png"))], files, { models: [blind, model()] });
    expect(shownIn(mixed)).toEqual([["bytes of /attachments/cat.png"]]);
  });

  it("An attached image that is missing, a folder or unreadable is sent as a line of text, with a reason if the file is gone", async () => {
    const files = withPng("cat.png");
    files.put("/attachments/folder.png", new Uint8Array(), "", { isDirectory: true });
    const parts = ["gone", "folder"].map((name) => image(`/attachments/${name}.png`));
    expect(shownIn(await sent([user(...parts)], files))).toEqual([
      [
        "[image: gone.png, image/png, 64 bytes, /attachments/gone.png; the file is gone]",
        "[image: folder.png, image/png, 64 bytes, /attachments/folder.png; the file is gone]",
      ],
    ]);
    expect(shownIn(await sent([user(image("/attachments/cat.png"))], files, { files: undefined }))).toEqual([
      ["[image: cat.png, image/png, 64 bytes, /attachments/cat.png]"],
    ]);
  });

  it("One request contains at most 20 images and 6 MB of images; the oldest images are sent as lines of text", async () => {
    const files = new MemoryFiles();
    const large = Array.from({ length: 5 }, (_, at) => {
      files.put(`/attachments/l${at}.png`, pngBytes(1_400_000), "image/png");
      return user(image(`/attachments/l${at}.png`));
    });
    const shown = shownIn(await sent(large, files)).flat();
    expect(shown[0]).toBe("[image: l0.png, image/png, 1.4 MB, /attachments/l0.png; too large to be sent here]");
    expect(shown.slice(1).every((one) => one.startsWith("bytes"))).toBe(true);
    const many = withPng(...Array.from({ length: 25 }, (_, at) => `${at}.png`));
    const parts = Array.from({ length: 25 }, (_, at) => image(`/attachments/${at}.png`));
    const [first] = shownIn(await sent([user(...parts)], many));
    expect(first?.filter((one) => one.startsWith("bytes"))).toHaveLength(20);
  });

  it("An image with more pixels than providers accept is sent as a line of text", async () => {
    const files = new MemoryFiles();
    files.put("/attachments/wide.png", pngBytes(), "image/png", { width: 9000, height: 10 });
    expect(shownIn(await sent([user(image("/attachments/wide.png"))], files)).flat()[0]).toContain("over 8000 pixels");
    expect(files.reads).toEqual([]);
  });

  it("A request stays within its limits of images and bytes and keeps every message, whatever is attached", async () => {
    console.info(`seed ${seed}`);
    const sizes = fc.array(fc.array(fc.integer({ min: 0, max: 3_000_000 }), { maxLength: 5 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sizes, async (thread) => {
        const files = new MemoryFiles();
        const messages = thread.map((own, at) =>
          user(
            words(`m${at}`),
            ...own.map((size, index) => {
              const path = `/attachments/${at}-${index}.png`;
              files.put(path, pngBytes(Math.max(8, size)), "image/png");
              return image(path);
            }),
          ),
        );
        const parts = (await sent(messages, files)).flatMap((message) => message.parts);
        const bytes = parts.flatMap((part) =>
          "data" in part && part.data !== undefined ? [fromBase64(part.data)] : [],
        );
        expect(bytes.reduce((sum, one) => sum + (one?.byteLength ?? 0), 0)).toBeLessThanOrEqual(6_000_000);
        expect(bytes.length).toBeLessThanOrEqual(20);
        expect(parts).toHaveLength(messages.flatMap((message) => message.parts).length);
      }),
      { numRuns: 15, seed },
    );
  });
});

describe("other files", () => {
  const file = (name: string, mime_type: string, size = 4): StoredPart => ({
    type: "file",
    mime_type,
    name,
    path: `/attachments/${name}`,
    size,
  });

  it("A short text file is sent as its text, whatever its age; a long one is sent as a line of text with its name and size", async () => {
    const files = new MemoryFiles();
    files.put("/attachments/a.csv", new TextEncoder().encode("a,b"), "text/csv");
    files.put("/attachments/b.json", new TextEncoder().encode("{}"), "application/json");
    files.put("/attachments/long.txt", new Uint8Array(65_537).fill(97), "text/plain");
    files.put("/attachments/bytes.txt", Uint8Array.of(0xff, 0xfe), "text/plain");
    const old = user(file("a.csv", "text/csv"), file("b.json", "application/json"));
    const messages = [old, ...Array.from({ length: 20 }, () => user(words("x")))];
    const own = user(file("long.txt", "text/plain"), file("bytes.txt", "text/plain"));
    const shown = shownIn(await sent([...messages, own], files));
    expect(shown[0]).toEqual([
      "[file: a.csv, text/csv, 3 bytes, /attachments/a.csv]\na,b",
      "[file: b.json, application/json, 2 bytes, /attachments/b.json]\n{}",
    ]);
    expect(shown.at(-1)).toEqual([
      "[file: long.txt, text/plain, 65.5 KB, /attachments/long.txt]",
      "[file: bytes.txt, text/plain, 2 bytes, /attachments/bytes.txt]",
    ]);
  });

  it("The text files of a request share one limit of bytes, and the newest files are sent first", async () => {
    const files = new MemoryFiles();
    const messages = Array.from({ length: 6 }, (_, at) => {
      files.put(`/attachments/${at}.txt`, new Uint8Array(60_000).fill(97), "text/plain");
      return user(file(`${at}.txt`, "text/plain"));
    });
    const whole = shownIn(await sent(messages, files)).map(([text = ""]) => text.length > 60_000);
    expect(whole).toEqual([false, false, true, true, true, true]);
  });

  it("A recent document is sent as bytes to a provider that reads it; any other file is sent as a line of text", async () => {
    const files = new MemoryFiles();
    files.put("/attachments/a.pdf", Uint8Array.of(1, 2, 3), "application/pdf");
    files.put("/attachments/a.zip", Uint8Array.of(1, 2, 3), "application/zip");
    const message = user(file("a.pdf", "application/pdf"), file("a.zip", "application/zip"));
    expect(shownIn(await sent([message], files))).toEqual([
      ["bytes of /attachments/a.pdf", "[file: a.zip, application/zip, 4 bytes, /attachments/a.zip]"],
    ]);
    expect(shownIn(await sent([message, user(words("x"))], files, { recent: 1 }))[0]?.[0]).toMatch(/^\[file: a\.pdf/);
  });
});

describe("files of tool results and of other messages", () => {
  const ref = (name: string, mimeType: string): AttachmentRef => ({
    id: name,
    type: "file",
    path: `/attachments/${name}`,
    name,
    mimeType,
    size: 3,
  });
  const tool = (status: "success" | "error", ...attachments: AttachmentRef[]): ModelMessage => ({
    id: "t",
    role: "tool",
    parts: [words("said")],
    name: "draw",
    tool_call_id: "c1",
    result: { status, [status === "error" ? "error" : "result"]: "said", attachments },
  });

  it("Images attached by a tool are sent with its result, and other files as lines of text after the result", async () => {
    const files = withPng("chart.png");
    files.put("/attachments/data.csv", new TextEncoder().encode("a,b"), "text/csv");
    for (const status of ["success", "error"] as const) {
      const [message] = await sent([tool(status, ref("chart.png", "image/png"), ref("data.csv", "text/csv"))], files);
      expect(message?.parts).toMatchObject([words("said"), { type: "image", data: toBase64(pngBytes()) }]);
      expect(message?.result?.[status === "error" ? "error" : "result"]).toBe(
        "said\n[file: data.csv, text/csv, 3 bytes, /attachments/data.csv]",
      );
    }
  });

  it("A tool's image that is old or missing is sent as a line of text after the tool's result", async () => {
    const [message] = await sent([tool("success", ref("chart.png", "image/png"))], new MemoryFiles());
    expect(message?.result?.result).toBe(
      "said\n[image: chart.png, image/png, 3 bytes, /attachments/chart.png; the file is gone]",
    );
    const old = await sent([tool("success", ref("chart.png", "image/png"))], withPng("chart.png"), { recent: 0 });
    expect(old[0]?.result?.result).toBe("said\n[image: chart.png, image/png, 3 bytes, /attachments/chart.png]");
  });

  it("An image in an assistant's or system message is sent as a line of text, since no provider accepts it there", async () => {
    for (const role of ["assistant", "system"] as const) {
      const message = { ...user(words("Look"), image("/attachments/cat.png")), role };
      expect(shownIn(await sent([message], withPng("cat.png")))).toEqual([
        ["Look", "[image: cat.png, image/png, 64 bytes, /attachments/cat.png]"],
      ]);
    }
  });
});
