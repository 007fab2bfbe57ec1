// What happens to the files of a message before the message is stored.

import { describe, expect, it } from "vitest";

import type { InputContent } from "#contract/content.ts";
import { ThreadholdError, refuse } from "#contract/error.ts";
import type { InputAttachment } from "#contract/input-attachment.ts";
import type { ImagePort, ImageSize, MadeImage } from "#core/ports/image-port.ts";
import type { OutboundFetch, OutboundInit } from "#core/ports/outbound-fetch.ts";
import type { FileVersion } from "#core/ports/thread-file-port.ts";
import { toBase64 } from "#lib/base64.ts";
import { incomingParts } from "#thread/attachments/incoming-file.ts";
import { storeAttachments } from "#thread/attachments/store-attachments.ts";

import { ManualClock } from "../core/support/manual-clock.ts";
import { idOf } from "../store/records.ts";
import { MemoryFiles, pngBytes } from "../support/memory-files.ts";

const webp: MadeImage = {
  bytes: new TextEncoder().encode("RIFF----WEBPmade"),
  mimeType: "image/webp",
  width: 1024,
  height: 512,
};

interface Setup {
  files?: MemoryFiles;
  /** The size that the image service reports for every image, and the image that it makes. */
  size?: ImageSize | null;
  made?: MadeImage | null;
  answers?: Record<string, () => Response>;
  gone?: () => boolean;
}

function desk({ files = new MemoryFiles(), size = null, made = null, answers = {}, gone = () => false }: Setup = {}) {
  const shrunk: object[] = [];
  const requested: { url: string; init: OutboundInit | undefined }[] = [];
  const images: ImagePort = {
    size: () => Promise.resolve(size),
    thumbnail: () => Promise.resolve(null),
    shrink: (_bytes, bounds) => {
      shrunk.push(bounds);
      return Promise.resolve(made);
    },
  };
  const outbound: OutboundFetch = (input, init) => {
    const url = String(input);
    requested.push({ url, init });
    const answer = answers[url];
    const host = new URL(url).host;
    return answer === undefined
      ? Promise.reject(refuse("invalid_request", `${host} does not exist.`, { reason: "unknown_host", host }))
      : Promise.resolve(answer());
  };
  let next = 0;
  const taker = {
    files: files.port,
    images,
    outbound,
    clock: new ManualClock(),
    newId: () => idOf((next += 1)),
    pending: {
      add: () => {},
      release: () => {},
      stillPending: (some: readonly FileVersion[]) => [...some],
      keepPath: () => {},
      remove: (gone: readonly FileVersion[]) => {
        for (const { path } of gone) void files.port.remove(path);
      },
    },
    assertNotDeleted: () => {
      if (gone()) throw refuse("thread_not_found", "There is no such thread.");
    },
  };
  const take = (content: InputContent, attachments?: InputAttachment[]) =>
    storeAttachments([incomingParts({ content, attachments }, "")], taker);
  return { take, taker, files, shrunk, requested };
}

const data = (bytes: Uint8Array) => toBase64(bytes);
const attached = (name: string, mime_type: string, bytes: Uint8Array) => ({ name, mime_type, data: data(bytes) });
const png = attached("cat.png", "image/png", pngBytes());

/** The refusal of the message. */
async function refusal(work: Promise<unknown>) {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ThreadholdError)) throw new Error(`not refused: ${String(thrown)}`);
  const { code, message, details } = thrown.refusal;
  return { code, message, fields: (details?.["fields"] as { path: string }[] | undefined)?.map(({ path }) => path) };
}

describe("inline bytes", () => {
  it("Content parts and attachments with inline bytes are stored as files, and the message refers to them in the original order", async () => {
    const { take, files } = desk({ size: { width: 3, height: 2 } });
    const { messages } = await take(
      [
        { type: "text", text: "Look" },
        { type: "image", mime_type: "image/png", data: data(pngBytes(70)) },
        { type: "text", text: "and" },
        { type: "file", mime_type: "text/csv", name: "a.csv", data: btoa("a,b") },
      ],
      [png, attached("b.bin", "application/octet-stream", Uint8Array.of(1))],
    );
    expect(files.paths).toEqual(["image.png", "a.csv", "cat.png", "b.bin"].map((name) => `/attachments/${name}`));
    const of = { width: 3, height: 2 };
    expect(messages).toEqual([
      [
        { type: "text", text: "Look" },
        {
          type: "image",
          mime_type: "image/png",
          path: "/attachments/image.png",
          name: "image.png",
          id: idOf(1),
          size: 70,
          ...of,
        },
        { type: "text", text: "and" },
        { type: "file", mime_type: "text/csv", path: "/attachments/a.csv", name: "a.csv", id: idOf(2), size: 3 },
        {
          type: "image",
          mime_type: "image/png",
          path: "/attachments/cat.png",
          name: "cat.png",
          id: idOf(3),
          size: 64,
          ...of,
        },
        {
          type: "file",
          mime_type: "application/octet-stream",
          path: "/attachments/b.bin",
          name: "b.bin",
          id: idOf(4),
          size: 1,
        },
      ],
    ]);
    expect(files.stored.get("/attachments/image.png")?.bytes).toEqual(pngBytes(70));
  });

  it("The stored media type of an image is detected from its bytes, and a file with an invalid media type is stored as application/octet-stream", async () => {
    const { take } = desk();
    const { messages } = await take("", [
      attached("cat.jpg", "image/jpeg", pngBytes()),
      attached("x", "IMAGE/PNG; q=1", pngBytes()),
    ]);
    expect(messages[0]).toMatchObject([{}, { mime_type: "image/png" }, { type: "image", mime_type: "image/png" }]);
    const odd = await take([{ type: "file", mime_type: "nonsense", data: "AA==" }]);
    expect(odd.messages[0]).toMatchObject([{ mime_type: "application/octet-stream", name: "file" }]);
  });

  it.for([
    ["../../secret.txt", "secret.txt"],
    ["..", "file.txt"],
    ["a\u0000b.txt", "ab.txt"],
  ])(
    "An attachment with the file name %j is stored in the folder /attachments",
    async ([name, stored], { expect: expectHere }) => {
      const { take, files } = desk();
      await take("", [attached(name ?? "", "text/plain", Uint8Array.of(97))]);
      expectHere(files.paths).toEqual([`/attachments/${stored}`]);
    },
  );
});

describe("refused attachments", () => {
  it.for<[string, InputContent, InputAttachment[], string, RegExp]>([
    ["bad base64", "", [png, { ...png, data: "no!" }], "attachments.1", /not base64/],
    ["a missing file", "", [png, { path: "/gone.txt" }], "attachments.1", /no file \/gone\.txt/],
    ["a folder", "", [png, { path: "/folder" }], "attachments.1", /is a folder/],
    [
      "a part with two sources",
      [{ type: "image", mime_type: "image/png", data: "AA==", url: "https://a.example/" }],
      [png],
      "content.0",
      /exactly one of/,
    ],
    ["a part without one", [{ type: "file", mime_type: "a/b" }], [png], "content.0", /exactly one of/],
  ])(
    "A message with an invalid file (%s) is refused, the error names the field, and nothing is stored",
    async ([, content, attachments, field, message], t) => {
      const { take, files } = desk();
      files.put("/folder", new Uint8Array(), "", { isDirectory: true });
      const refused = await refusal(take(content, attachments));
      t.expect(refused).toMatchObject({ code: "invalid_request", fields: [field] });
      t.expect(refused.message).toMatch(message);
      t.expect(files.paths).toEqual(["/folder"]);
    },
  );

  it("More than 4 MiB of inline bytes in one message are refused", async () => {
    const { take, files } = desk();
    const half = new Uint8Array(2 * 1024 * 1024);
    await take("", [attached("a", "a/b", half), attached("b", "a/b", half)]);
    const refused = await refusal(
      take(
        [{ type: "file", mime_type: "a/b", data: data(half) }],
        [attached("a", "a/b", half), attached("b", "a/b", Uint8Array.of(1))],
      ),
    );
    expect(refused.code).toBe("too_large");
    expect(files.paths).toHaveLength(2);
  });

  it("The stored files of a message are deleted if a later file is refused or the message is discarded; existing files that the message refers to are kept", async () => {
    const { take, files } = desk();
    expect(await refusal(take("", [png, { url: "https://gone.example/a.png" }]))).toMatchObject({
      code: "invalid_request",
      fields: ["attachments.1"],
      message: "attachments.1: gone.example does not exist.",
    });
    expect(files.paths).toEqual([]);
    files.put("/mine.txt", Uint8Array.of(1), "text/plain");
    const { discard } = await take("", [png, { path: "/mine.txt" }]);
    expect(files.paths).toEqual(["/mine.txt", "/attachments/cat.png"]);
    discard();
    discard();
    expect(files.paths).toEqual(["/mine.txt"]);
  });

  it("Nothing is written to a thread that is deleted while a file for it is fetched", async () => {
    let gone = false;
    const answers = { "https://a.example/a.txt": () => ((gone = true), new Response("late")) };
    const { take, files } = desk({ answers, gone: () => gone });
    expect(await refusal(take("", [{ url: "https://a.example/a.txt" }]))).toMatchObject({ code: "thread_not_found" });
    expect(files.paths).toEqual([]);
  });
});

describe("files of the thread", () => {
  it("An attachment with the path of an existing file refers to that file and stores no new one", async () => {
    const { take, files } = desk();
    files.put("/notes/a.png", pngBytes(), "image/png", { width: 8, height: 9 });
    files.put("/raw", pngBytes(), "application/octet-stream");
    const { messages } = await take(
      [
        { type: "image", mime_type: "image/png", path: "/raw" },
        { type: "file", mime_type: "x/y", path: "/notes/a.png" },
      ],
      [{ path: "/notes/a.png" }],
    );
    expect(messages[0]).toMatchObject([
      { type: "image", mime_type: "image/png", path: "/raw" },
      { type: "file", mime_type: "image/png", path: "/notes/a.png", width: 8 },
      { type: "image", mime_type: "image/png", path: "/notes/a.png", size: 64, width: 8, height: 9 },
    ]);
    expect(files.paths).toEqual(["/notes/a.png", "/raw"]);
  });
});

describe("addresses", () => {
  const text = () => new Response("hello", { headers: { "content-type": "text/plain; charset=utf-8" } });
  const picture = () => new Response(pngBytes(), { headers: { "content-type": "image/png" } });

  it("An attachment with a URL is fetched by the guarded fetch with a size limit and a time limit, and is named after the last segment of the URL's path", async () => {
    const answers = { "https://a.example/x/caf%C3%A9.txt?key=1": text, "https://a.example/": picture };
    const { take, files, requested } = desk({ answers });
    const { messages } = await take("", [
      { url: "https://a.example/x/caf%C3%A9.txt?key=1" },
      { url: "https://a.example/", name: "root.png" },
    ]);
    expect(messages[0]?.slice(1)).toMatchObject([
      { type: "file", mime_type: "text/plain", path: "/attachments/café.txt", size: 5 },
      { type: "image", mime_type: "image/png", path: "/attachments/root.png" },
    ]);
    expect(files.text("/attachments/café.txt")).toBe("hello");
    expect(requested.map(({ init }) => init?.limits)).toEqual([
      { bytes: 8 * 1024 * 1024, totalMs: 60_000 },
      { bytes: 8 * 1024 * 1024, totalMs: 60_000 },
    ]);
  });

  it("A message is refused if the URL of an attachment returns an error status, or no image where an image is required", async () => {
    const answers = { "https://a.example/404": () => new Response("no", { status: 404 }), "https://a.example/t": text };
    const { take, files } = desk({ answers });
    const missing = await refusal(take("", [{ url: "https://a.example/404" }]));
    expect(missing).toMatchObject({ code: "invalid_request", fields: ["attachments.0"] });
    expect(missing.message).toBe("attachments.0: a.example answered 404 instead of the file.");
    const page = await refusal(take([{ type: "image", mime_type: "image/png", url: "https://a.example/t" }]));
    expect(page).toMatchObject({ code: "invalid_request", fields: ["content.0"] });
    expect(files.paths).toEqual([]);
  });

  it("One request fetches at most 20 addresses and 20 MiB", async () => {
    const { take, requested } = desk({ answers: { "https://a.example/t": text } });
    const part = { type: "file" as const, mime_type: "text/plain", url: "https://a.example/t" };
    expect(await refusal(take(Array.from({ length: 21 }, () => part)))).toMatchObject({ fields: ["content.20"] });
    expect(requested).toEqual([]);
    const big = () => new Response(new Uint8Array(8 * 1024 * 1024));
    const large = desk({ answers: { "https://a.example/t": big } });
    const files = Array.from({ length: 5 }, () => part);
    expect(await refusal(large.take(files))).toMatchObject({ code: "too_large" });
    expect(large.requested.map(({ init }) => init?.limits?.bytes)).toEqual([8388608, 8388608, 4194304]);
    expect(large.files.paths).toEqual([]);
  });

  it("All fetches of a request share one time limit", async () => {
    const { take, taker } = desk({
      answers: { "https://a.example/t": () => (void taker.clock.sleep(61_000, AbortSignal.any([])), text()) },
    });
    const refused = await refusal(take("", [{ url: "https://a.example/t" }, { url: "https://a.example/t" }]));
    expect(refused).toMatchObject({ code: "unavailable", fields: ["attachments.1"] });
  });
});

describe("large images", () => {
  it.for<[string, number, ImageSize]>([
    ["of too many bytes", 1_500_001, { width: 10, height: 10 }],
    ["of too many pixels", 64, { width: 10, height: 4097 }],
  ])("An image %s is encoded again, under a name with the ending of its new type", async ([, length, size], t) => {
    const { take, files, shrunk } = desk({ size, made: webp });
    const { messages } = await take("", [attached("cat.big.png", "image/png", pngBytes(length))]);
    t.expect(shrunk).toEqual([{ pixels: 4096, limit: 1_500_000 }]);
    t.expect(messages[0]?.[1]).toMatchObject({
      mime_type: "image/webp",
      path: "/attachments/cat.big.webp",
      size: webp.bytes.byteLength,
      width: 1024,
      height: 512,
    });
    t.expect(files.stored.get("/attachments/cat.big.webp")?.bytes).toEqual(webp.bytes);
  });

  it("An image within the bounds, and any other file, is stored unchanged", async () => {
    const { take, files, shrunk } = desk({ size: { width: 4096, height: 4096 }, made: webp });
    await take("", [
      attached("cat.png", "image/png", pngBytes(1_500_000)),
      attached("a.bin", "application/octet-stream", pngBytes(1_600_000)),
    ]);
    expect(shrunk).toEqual([]);
    expect(files.stored.get("/attachments/cat.png")?.bytes).toHaveLength(1_500_000);
  });

  it("A large image that cannot be encoded again is stored unchanged", async () => {
    const { take, files, shrunk } = desk({ made: null });
    const heic = new TextEncoder().encode("....ftypheic");
    const { messages } = await take("", [
      attached("cat.png", "image/png", pngBytes(2_000_000)),
      attached("cat.heic", "image/heic", heic),
    ]);
    expect(shrunk).toHaveLength(2);
    expect(messages[0]?.slice(1)).toMatchObject([
      { mime_type: "image/png", size: 2_000_000 },
      { mime_type: "image/heic", path: "/attachments/cat.heic" },
    ]);
    expect(files.stored.get("/attachments/cat.heic")?.bytes).toEqual(heic);
  });
});
