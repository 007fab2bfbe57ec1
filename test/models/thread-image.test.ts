// Images, audio and documents that a user attached in a thread: their content in the body of the request to a provider.

import { expect, it } from "vitest";

import type { AttachmentRef } from "#contract/attachment.ts";
import { withAttachments } from "#core/request/request-attachments.ts";
import { toBase64 } from "#lib/base64.ts";

import { MemoryFiles, pngBytes } from "../support/memory-files.ts";
import { callAndResult, message, model, providers, user } from "./ask-model.ts";
import { capture } from "./sent-request.ts";

const drawn: AttachmentRef = {
  id: "a1",
  type: "file",
  path: "/attachments/chart.png",
  name: "chart.png",
  mimeType: "image/png",
  size: 80,
};

const files = new MemoryFiles();
files.put("/attachments/cat.png", pngBytes(90), "image/png");
files.put("/attachments/chart.png", pngBytes(80), "image/png");

it.for(providers)(
  "The provider %s is sent the bytes of images that a user or a tool stored in the thread",
  async (provider) => {
    const cat = { type: "image" as const, mime_type: "image/png", path: "/attachments/cat.png", name: "cat.png" };
    const results = callAndResult("toolu_01AAAA").map((entry) =>
      entry.role === "tool"
        ? { ...entry, result: { status: "success" as const, result: "drawn", attachments: [drawn] } }
        : entry,
    );
    const messages = [message("user", { parts: [{ type: "text", text: "Look" }, cat] }), ...results, user("And?")];
    const view = { files: files.port, models: [model(provider, "some-model")], recent: undefined };
    const { body } = await capture(provider, { messages: await withAttachments(messages, view) });
    const sent = JSON.stringify(body);
    expect(sent).toContain(toBase64(pngBytes(90)));
    expect(sent).toContain(toBase64(pngBytes(80)));
    expect(sent).not.toContain("attachments/cat.png");
  },
);

it.for(providers)(
  "The provider %s is sent a line of text for an image that is no longer in the thread",
  async (provider) => {
    const gone = { type: "image" as const, mime_type: "image/png", path: "/attachments/gone.png", size: 90 };
    const messages = await withAttachments([message("user", { parts: [gone] })], {
      files: files.port,
      models: [model(provider, "some-model")],
      recent: undefined,
    });
    const { body } = await capture(provider, { messages });
    expect(JSON.stringify(body)).toContain(
      "[image: gone.png, image/png, 90 bytes, /attachments/gone.png; the file is gone]",
    );
  },
);

it.for([
  ["anthropic", "contract.pdf", "application/pdf"],
  ["google", "call.ogg", "audio/ogg"],
  ["google", "walk.mp4", "video/mp4"],
  ["openai", "contract.pdf", "application/pdf"],
  ["openai", "call.mp3", "audio/mpeg"],
  ["openai-responses", "contract.pdf", "application/pdf"],
  ["openrouter", "call.ogg", "audio/ogg"],
  ["openrouter", "walk.mp4", "video/mp4"],
] as const)(
  "The provider %s receives the bytes of the file %s that a user attached in a thread",
  async ([provider, name, type]) => {
    const path = `/attachments/${name}`;
    files.put(path, pngBytes(70), type);
    const attached = { type: "file" as const, mime_type: type, path, name };
    const messages = await withAttachments([message("user", { parts: [attached] })], {
      files: files.port,
      models: [model(provider, "some-model")],
      recent: undefined,
    });
    expect(JSON.stringify((await capture(provider, { messages })).body)).toContain(toBase64(pngBytes(70)));
  },
);

it("The provider anthropic receives a line of text instead of audio that a user attached in a thread", async () => {
  files.put("/attachments/call.mp3", pngBytes(70), "audio/mpeg");
  const attached = { type: "file" as const, mime_type: "audio/mpeg", path: "/attachments/call.mp3", name: "call.mp3" };
  const messages = await withAttachments([message("user", { parts: [attached] })], {
    files: files.port,
    models: [model("anthropic", "some-model")],
    recent: undefined,
  });
  const sent = JSON.stringify((await capture("anthropic", { messages })).body);
  expect(sent).toContain("[file: call.mp3, audio/mpeg");
  expect(sent).not.toContain(toBase64(pngBytes(70)));
});
