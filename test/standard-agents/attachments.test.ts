// Standard Agents, tools: files in a tool's result and references to files. And prompts: how long images are sent as images.

import { defineTool } from "@standardagents/spec";
import type { AttachmentRef, ThreadState, ToolAttachment } from "@standardagents/spec";
import { describe, expect, it } from "vitest";

import { realPng } from "../support/real-png.ts";
import { answers, calling, start } from "./project.ts";

type Offered = ToolAttachment | AttachmentRef;

/** Runs a tool that returns these attachments; `before` creates files first. */
async function attach(offered: Offered[], before: (state: ThreadState) => Promise<unknown> = async () => undefined) {
  const draw = defineTool("Draws", async (state: ThreadState) => {
    await before(state);
    return { status: "success", result: "drawn", attachments: offered };
  });
  const { project, thread } = await start({ tools: { draw }, script: answers(calling("draw")) });
  await thread.say("Draw");
  const attachments = (await thread.result())?.attachments ?? [];
  const [first] = attachments;
  const path = first !== undefined && "path" in first ? first.path : "none";
  const file = await thread.atRest(async (state) => ({
    record: await state.statFile(path),
    bytes: [...new Uint8Array((await state.readFile(path)) ?? new ArrayBuffer(0))],
  }));
  return { thread, attachments, first, ...file, read: project.requests[1]?.messages.at(-1)?.content };
}

const note: ToolAttachment = { name: "note.txt", mimeType: "text/plain", data: btoa("words") };
const refTo = (more: Partial<AttachmentRef>): AttachmentRef => ({
  id: "own-id",
  type: "file",
  path: "/kept/a.txt",
  name: "said",
  mimeType: "application/x-said",
  size: 999,
  ...more,
});

/** Runs a tool that refers to a text of five bytes at `/kept/a.txt`, or to an image next to it. */
const refer = (more: Partial<AttachmentRef> = {}) =>
  attach([refTo(more)], async (state) => {
    await state.writeFile("/kept/a.txt", "words", "text/plain");
    await state.writeFile("/kept/a.png", (await realPng(12, 7)).slice().buffer, "image/png");
  });

describe("attachments of a result", () => {
  it("SAATT1 Attachments of a result are files of the thread under /attachments/, linked to the result's message", async () => {
    const { thread, first, bytes } = await attach([note]);
    expect(first).toMatchObject({ type: "file", path: "/attachments/note.txt", name: "note.txt" });
    expect(String.fromCharCode(...bytes)).toBe("words");
    const message = (await thread.messages()).find(({ role }) => role === "tool");
    expect(message?.attachments).toEqual([first]);
    expect((await attach([])).attachments).toEqual([]);
  });
});

describe("a new file", () => {
  it("SAATT2 ToolAttachment.name is the name of the new file, at an unused path that keeps its extension", async () => {
    expect((await attach([{ ...note, name: "other.md" }])).record).toMatchObject({ path: "/attachments/other.md" });
    const twice = await attach([note, note]);
    const paths = twice.attachments.map((one) => ("path" in one ? one.path : ""));
    expect(new Set(paths).size).toBe(2);
    expect(paths.every((path) => /^\/attachments\/note.*\.txt$/.test(path))).toBe(true);
  });

  it("SAATT3 ToolAttachment.mimeType is the stored type of the new file", async () => {
    for (const mimeType of ["text/plain", "text/csv"]) {
      const { record, first } = await attach([{ ...note, mimeType }]);
      expect([record?.mimeType, first?.mimeType]).toEqual([mimeType, mimeType]);
    }
  });

  it("SAATT4 ToolAttachment.data is the bytes of the new file, and those of a large image are stored unchanged", async () => {
    expect((await attach([{ ...note, data: btoa("\u0000\u00ff") }])).bytes).toEqual([0, 255]);
    const image = await realPng(5000, 4);
    const data = btoa(String.fromCharCode(...image));
    expect((await attach([{ name: "wide.png", mimeType: "image/png", data }])).bytes).toEqual([...image]);
  });

  it("SAATT5 ToolAttachment.width is stored with the new file and its reference", async () => {
    const { record, first } = await attach([{ ...note, name: "a.bin", mimeType: "image/x-own", width: 640 }]);
    expect([record?.width, first?.width]).toEqual([640, 640]);
    expect((await attach([note])).first).not.toHaveProperty("width");
  });

  it("SAATT6 ToolAttachment.height is stored with the new file and its reference", async () => {
    const { record, first } = await attach([{ ...note, name: "a.bin", mimeType: "image/x-own", height: 480 }]);
    expect([record?.height, first?.height]).toEqual([480, 480]);
    expect((await attach([note])).first).not.toHaveProperty("height");
  });
});

describe("a file that the thread has", () => {
  it("SAATT7 AttachmentRef.id is the id that a tool sets for its reference", async () => {
    expect((await refer({ id: "one" })).first).toMatchObject({ id: "one" });
    expect((await refer({ id: "two" })).first).toMatchObject({ id: "two" });
  });

  it("SAATT8 AttachmentRef.type distinguishes a reference from a new file, and is always file", async () => {
    const { first, thread } = await refer();
    expect(first).toMatchObject({ type: "file" });
    expect(await thread.atRest(async (state) => (await state.findFiles("/attachments/*")).paths)).toEqual([]);
  });

  it("SAATT9 AttachmentRef.path leads to a file of the thread, and for a missing file the model reads a note", async () => {
    expect((await refer({ path: "kept/a.txt" })).first).toMatchObject({ path: "/kept/a.txt" });
    const missing = await refer({ path: "/kept/none.txt" });
    expect(missing.attachments).toEqual([]);
    expect(missing.read).toContain("no such file");
  });

  it("SAATT10 AttachmentRef.name is read from the file that it refers to", async () => {
    expect((await refer({ name: "said" })).first).toMatchObject({ name: "a.txt" });
    expect((await refer({ path: "/kept/a.png" })).first).toMatchObject({ name: "a.png" });
  });

  it("SAATT11 AttachmentRef.mimeType is read from the file that it refers to", async () => {
    expect((await refer()).first).toMatchObject({ mimeType: "text/plain" });
    expect((await refer({ path: "/kept/a.png" })).first).toMatchObject({ mimeType: "image/png" });
  });

  it("SAATT12 AttachmentRef.size is read from the file that it refers to", async () => {
    expect((await refer({ size: 1 })).first).toMatchObject({ size: 5 });
  });

  it("SAATT13 AttachmentRef.width is read from the image that it refers to", async () => {
    expect((await refer({ path: "/kept/a.png", width: 1 })).first).toMatchObject({ width: 12 });
    expect((await refer()).first).not.toHaveProperty("width");
  });

  it("SAATT14 AttachmentRef.height is read from the image that it refers to", async () => {
    expect((await refer({ path: "/kept/a.png", height: 1 })).first).toMatchObject({ height: 7 });
    expect((await refer()).first).not.toHaveProperty("height");
  });

  it("SAATT15 AttachmentRef.description is stored with the reference", async () => {
    expect((await refer({ description: "A note about cats" })).first).toMatchObject({
      description: "A note about cats",
    });
    expect((await refer()).first).not.toHaveProperty("description");
  });
});

describe("images of older messages", () => {
  const image = { type: "image", mime_type: "image/png", data: "iVBORw0KGgo=" } as const;

  /** The number of images with which each of the messages is sent, the oldest first. All messages for which `hasImage` is true have one. */
  async function received(
    messages: number,
    prompt: { recentImageThreshold?: number },
    hasImage = (_at: number) => true,
  ) {
    const { project, thread } = await start({ prompt: { includeChat: true, ...prompt } });
    const initial_messages = Array.from({ length: messages - 1 }, (_, at) => ({
      role: "user" as const,
      content: [{ type: "text" as const, text: `m${at}` }, ...(hasImage(at) ? [image] : [])],
    }));
    const loaded = await project.thread("main", { initial_messages });
    await loaded.say([{ type: "text", text: "last" }, image]);
    expect(await thread.messages()).toEqual([]);
    return project.requests.at(-1)?.messages.map(({ attachments }) => attachments?.length ?? 0);
  }

  it("SAATT16 PromptDefinition.recentImageThreshold is the number of newest messages whose images are sent", async () => {
    expect(await received(4, { recentImageThreshold: 1 })).toEqual([0, 0, 0, 1]);
    expect(await received(4, { recentImageThreshold: 3 })).toEqual([0, 1, 1, 1]);
  });

  it("SAATT16 PromptDefinition.recentImageThreshold counts messages without images too", async () => {
    const even = (at: number) => at % 2 === 0;
    expect(await received(7, { recentImageThreshold: 3 }, even)).toEqual([0, 0, 0, 0, 1, 0, 1]);
    expect(await received(7, { recentImageThreshold: 2 }, even)).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });

  it("SAATT17 PromptDefinition.recentImageThreshold is ten messages by default, and messages without images count", async () => {
    const first = (at: number) => at < 3;
    expect(await received(12, {}, first)).toEqual([0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it("SAATT17 PromptDefinition.recentImageThreshold left out means ten messages", async () => {
    expect(await received(12, {})).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  });
});
