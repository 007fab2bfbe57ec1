// Images, audio, video and documents in a user's message: the exact content that each provider receives, in the forms of its documentation,
// and the refusals of what it does not accept.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { UserContent } from "#facade/upp/content-block.ts";
import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/llm.ts";
import type { ModelOptions, Provider } from "#facade/upp/model-reference.ts";
import anthropic from "#facade/upp/provider/anthropic-models.ts";
import google from "#facade/upp/provider/google-models.ts";
import openai from "#facade/upp/provider/openai-models.ts";
import openrouter from "#facade/upp/provider/openrouter-models.ts";

import { startModelServer } from "../support/model-server/server.mjs";
import type { ModelServer } from "../support/model-server/server.mjs";
import { rejection } from "./support/scripted-llm.ts";

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});

afterAll(() => server.close());

const bytes = new Uint8Array([1, 2, 3, 255]);
const data = Buffer.from(bytes).toString("base64");
const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

const blocks = {
  png: { type: "image", source: { type: "bytes", data: bytes }, mimeType: "image/png" },
  wav: { type: "audio", data: bytes, mimeType: "audio/wav" },
  mp3: { type: "audio", data: bytes, mimeType: "audio/mpeg" },
  flac: { type: "audio", data: bytes, mimeType: "audio/flac" },
  mp4: { type: "video", data: bytes, mimeType: "video/mp4" },
  pdf: { type: "document", source: { type: "base64", data }, mimeType: "application/pdf", title: "a.pdf" },
  pdfBytes: { type: "binary", data: bytes, mimeType: "application/pdf" },
  pdfLink: {
    type: "document",
    source: { type: "url", url: "https://example.com/a.pdf" },
    mimeType: "application/pdf",
  },
  docx: { type: "document", source: { type: "base64", data }, mimeType: docx },
  note: { type: "document", source: { type: "text", data: "Grüße" }, mimeType: "text/plain", title: "note.txt" },
  zip: { type: "binary", data: bytes, mimeType: "application/zip" },
} satisfies Record<string, UserContent>;
type BlockName = keyof typeof blocks;

interface Case {
  provider: Provider;
  options?: ModelOptions;
  path: string;
  /** The content of the user's message in the body of a request. */
  content: (body: never) => unknown;
  /** The part that the provider receives for each block; a refused block has none. */
  parts: Partial<Record<BlockName, object>>;
  /** The types that a refusal names. */
  accepted: string;
}

const pdfUrl = `data:application/pdf;base64,${data}`;
const noteLine = { type: "text", text: "[file: note.txt, text/plain]\nGrüße" };

/** The forms of OpenAI's Chat Completions. */
const chat = {
  png: { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
  wav: { type: "input_audio", input_audio: { data, format: "wav" } },
  mp3: { type: "input_audio", input_audio: { data, format: "mp3" } },
  pdf: { type: "file", file: { filename: "a.pdf", file_data: pdfUrl } },
  note: noteLine,
};

const cases: Record<string, Case> = {
  // https://platform.claude.com/docs/en/api/messages: `document` with a base64 or URL source of a PDF, or with a source of plain text
  anthropic: {
    provider: anthropic,
    path: "/v1",
    content: (body: { messages: { content: unknown }[] }) => body.messages[0]?.content,
    parts: {
      png: { type: "image", source: { type: "base64", media_type: "image/png", data } },
      pdf: { type: "document", source: { type: "base64", media_type: "application/pdf", data }, title: "a.pdf" },
      pdfBytes: { type: "document", source: { type: "base64", media_type: "application/pdf", data } },
      pdfLink: { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
      note: {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "Grüße" },
        title: "note.txt",
      },
    },
    accepted: "images, texts, application/pdf",
  },
  // https://ai.google.dev/gemini-api/docs/audio, /video-understanding, /document-processing: `inlineData` and `fileData`
  google: {
    provider: google,
    path: "/v1beta",
    content: (body: { contents: { parts: unknown }[] }) => body.contents[0]?.parts,
    parts: {
      png: { inlineData: { mimeType: "image/png", data } },
      wav: { inlineData: { mimeType: "audio/wav", data } },
      mp3: { inlineData: { mimeType: "audio/mpeg", data } },
      flac: { inlineData: { mimeType: "audio/flac", data } },
      mp4: { inlineData: { mimeType: "video/mp4", data } },
      pdf: { inlineData: { mimeType: "application/pdf", data } },
      pdfBytes: { inlineData: { mimeType: "application/pdf", data } },
      pdfLink: { fileData: { mimeType: "application/pdf", fileUri: "https://example.com/a.pdf" } },
      note: { text: noteLine.text },
    },
    accepted: "images, texts, application/pdf, audio/*, video/*",
  },
  // https://developers.openai.com/api/docs/guides/file-inputs: `input_file`, with the types listed there; it lists no audio
  "openai, Responses API": {
    provider: openai,
    path: "/v1",
    content: (body: { input: { content: unknown }[] }) => body.input[0]?.content,
    parts: {
      png: { type: "input_image", image_url: `data:image/png;base64,${data}` },
      pdf: { type: "input_file", filename: "a.pdf", file_data: pdfUrl },
      pdfBytes: { type: "input_file", filename: "file.pdf", file_data: pdfUrl },
      pdfLink: { type: "input_file", file_url: "https://example.com/a.pdf" },
      docx: { type: "input_file", filename: "file.docx", file_data: `data:${docx};base64,${data}` },
      note: { ...noteLine, type: "input_text" },
    },
    accepted: "images, texts, application/pdf, application/msword",
  },
  // https://developers.openai.com/api/docs/guides/audio: `input_audio` with wav or mp3; /file-inputs: `file`, PDF only, not as a URL
  "openai, Chat Completions": {
    provider: openai,
    options: { api: "chat" },
    path: "/v1",
    content: (body: { messages: { content: unknown }[] }) => body.messages[0]?.content,
    parts: { ...chat, pdfBytes: { type: "file", file: { filename: "part-0.pdf", file_data: pdfUrl } } },
    accepted: "images, texts, application/pdf, audio/wav, audio/mp3, audio/mpeg",
  },
  // A server other than OpenAI with the protocol Chat Completions
  "another server": {
    provider: createProvider({ protocol: "openai", name: "another" }),
    options: { api: "chat" },
    path: "/v1",
    content: (body: { messages: { content: unknown }[] }) => body.messages[0]?.content,
    parts: { ...chat, pdfBytes: { type: "file", file: { filename: "document.pdf", file_data: pdfUrl } } },
    accepted: "images, texts, application/pdf, audio/wav, audio/mp3, audio/mpeg",
  },
  // https://openrouter.ai/docs/features/multimodal: `image_url`, `input_audio` with a format, `video_url`, `file`
  openrouter: {
    provider: openrouter,
    path: "/api/v1",
    content: (body: { messages: { content: unknown }[] }) => body.messages[0]?.content,
    parts: {
      ...chat,
      flac: { type: "input_audio", input_audio: { data, format: "flac" } },
      mp4: { type: "video_url", video_url: { url: `data:video/mp4;base64,${data}` } },
      pdfBytes: { type: "file", file: { filename: "file.pdf", file_data: pdfUrl } },
      pdfLink: { type: "file", file: { filename: "file.pdf", file_data: "https://example.com/a.pdf" } },
    },
    accepted: "images, texts, application/pdf, audio/mpeg, audio/mp3, audio/wav",
  },
};

let exchanges = 0;

/** A model of a case, and the bodies of the requests that the server received from this model. */
function modelOf({ provider, options, path }: Case, more: ModelOptions = {}) {
  const id = `media-${(exchanges += 1)}`;
  // The host of the address decides which provider package is used: that of OpenAI, or the one for other servers.
  const isOpenai = provider === openai;
  const send: typeof fetch = (input, init) => {
    const address = new URL(input instanceof Request ? input.url : input);
    return fetch(`${server.url}${address.pathname}${address.search}`, init);
  };
  const config = {
    apiKey: "key",
    baseUrl: isOpenai ? `https://api.openai.com${path}` : `${server.url}${path}`,
    headers: { "x-server-id": id },
    fetch: send,
  };
  return {
    model: llm({ model: provider("case:text", { ...options, ...more }), config }),
    bodies: async () => {
      const sent = (await (await fetch(`${server.url}/__requests?id=${id}`)).json()) as { body: never }[];
      return sent.map(({ body }) => body);
    },
  };
}

const names = Object.keys(blocks) as BlockName[];

describe.each(Object.entries(cases))("%s", (_name, one) => {
  const accepted = names.filter((name) => one.parts[name] !== undefined);
  const refused = names.filter((name) => one.parts[name] === undefined);

  it.each(accepted)("The block %s reaches the provider in the form that its documentation describes", async (name) => {
    const { model, bodies } = modelOf(one);
    // In Chat Completions, a message with one text and no other block is sent as a string, so each message has a text and the block.
    await model.generate(blocks[name], "Look.");
    const [body, ...others] = await bodies();
    expect(others).toEqual([]);
    const content = body === undefined ? undefined : one.content(body);
    expect(JSON.stringify((content as unknown[])[0])).toBe(JSON.stringify(one.parts[name]));
  });

  it.each(refused)(
    "The block %s is refused before a request, and the error names the provider and what the provider accepts",
    async (name) => {
      const { model, bodies } = modelOf(one);
      const error = await rejection(model.generate("Earlier.", { type: "text", text: "Look." }, blocks[name]));
      const { type, mimeType } = blocks[name];
      expect(error).toMatchObject({
        code: "INVALID_REQUEST",
        provider: one.provider.name,
        message: expect.stringContaining(
          `of ${one.provider.name} cannot read block 3 of message 1, "${type}" with the media type "${mimeType}"`,
        ),
      });
      const expected = name === "pdfLink" ? "as bytes, and not as a URL" : one.accepted;
      expect((error as Error).message).toContain(expected);
      expect(await bodies()).toEqual([]);
    },
  );

  it("The capabilities of a model state which types of files its provider accepts", () => {
    const { capabilities } = modelOf(one).model;
    expect([capabilities.documentInput, capabilities.audioInput, capabilities.videoInput]).toEqual([
      one.parts.pdf !== undefined,
      one.parts.wav !== undefined,
      one.parts.mp4 !== undefined,
    ]);
  });
});

it("A block of audio or video is refused if the options of the model exclude its capability", async () => {
  const one = cases["google"] as Case;
  const { model, bodies } = modelOf(one, { capabilities: { audioInput: false, videoInput: false } });
  for (const name of ["wav", "mp4"] as const) {
    const ability = name === "wav" ? "audioInput" : "videoInput";
    expect(await rejection(model.generate(blocks[name]))).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining(`its capability ${ability} is false`),
    });
  }
  expect(await bodies()).toEqual([]);
});

it("A text document with bytes that are not UTF-8 is refused before a request", async () => {
  const { model, bodies } = modelOf(cases["google"] as Case);
  const latin = { type: "binary", data: new Uint8Array([0x47, 0x72, 0xfc]), mimeType: "text/csv" } as const;
  const error = await rejection(model.generate(latin));
  expect(error).toMatchObject({
    code: "INVALID_REQUEST",
    message: expect.stringContaining("its bytes are not a text in UTF-8"),
  });
  expect(await bodies()).toEqual([]);
});

it("An audio block is refused if its media type does not begin with audio/", async () => {
  const { model, bodies } = modelOf(cases["google"] as Case);
  const error = await rejection(model.generate({ type: "audio", data: bytes, mimeType: "application/pdf" }));
  expect(error).toMatchObject({
    code: "INVALID_REQUEST",
    message: expect.stringContaining('its media type has to begin with "audio/"'),
  });
  expect(await bodies()).toEqual([]);
});
