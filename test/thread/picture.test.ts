// Images and audio that a model made, and pages that it cites, in a thread: the bytes are stored as a file, and the message has its path.

import { expect, it } from "vitest";

import { start } from "../standard-agents/project.ts";
import { wireModel } from "../standard-agents/wire.ts";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

it("An image that a model made is stored as a file of the thread, and its message refers to it", async () => {
  const wire = wireModel("google", { model: "case:text-and-picture" });
  const { project, thread } = await start({ model: wire.definition });
  const events = await thread.say("Draw a dot");
  expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });

  const answer = (await thread.messages()).at(-1);
  expect(answer?.parts).toMatchObject([
    { type: "text", text: "Here it is: " },
    { type: "image", mime_type: "image/png", path: "/attachments/picture.png", size: 70, width: 1, height: 1 },
    { type: "text", text: "A dot." },
  ]);
  // Neither the message nor an event contains the bytes.
  expect(JSON.stringify([answer, events])).not.toContain(pixel);
  expect(events.find((event) => event.type === "message_end" && event.message.role === "assistant")).toMatchObject({
    message: { parts: [{}, { type: "image", path: "/attachments/picture.png" }, {}] },
  });

  const file = await project.fetch(`/api/threads/${thread.id}/files/attachments/picture.png`);
  expect(file.status).toBe(200);
  const bytes = new Uint8Array(await file.arrayBuffer());
  expect(btoa(String.fromCharCode(...bytes))).toBe(pixel);
});

it("Audio that a model made is stored as one file of the thread, and its message refers to it", async () => {
  const wire = wireModel("google", { model: "case:audio" });
  const { project, thread } = await start({ model: wire.definition });
  const events = await thread.say("Say hello");
  expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  const answer = (await thread.messages()).at(-1);
  expect(answer?.parts).toMatchObject([
    { type: "file", mime_type: "audio/L16;codec=pcm;rate=24000", path: "/attachments/audio", size: 10 },
  ]);
  expect(JSON.stringify([answer, events])).not.toContain(btoa("\x01\x02\x03\x04"));
  const file = await project.fetch(`/api/threads/${thread.id}/files/attachments/audio`);
  expect([...new Uint8Array(await file.arrayBuffer())]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

it("A second image of a model is stored as a second file", async () => {
  const wire = wireModel("google", { model: "case:text-and-picture" });
  const { thread } = await start({ model: wire.definition });
  await thread.say("Draw a dot");
  await thread.say("Draw another");
  const paths = (await thread.messages()).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "image" ? [part.path] : [])),
  );
  expect(new Set(paths).size).toBe(2);
});

it("The sources that an answer cites are in its message's metadata", async () => {
  const wire = wireModel("google", { model: "case:cited" });
  const { thread } = await start({ model: wire.definition });
  await thread.say("Who won?");
  expect((await thread.messages()).at(-1)?.metadata).toEqual({
    sources: [
      { url: "https://a.example/won", title: "A says" },
      { url: "https://b.example/", title: "b.example" },
    ],
  });
});
