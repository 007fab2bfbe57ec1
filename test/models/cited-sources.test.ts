// Content of an answer other than text: the pages that it cites, and the images, audio and video that the model made.

import { describe, expect, it } from "vitest";

import { ask, readAnswer, emitted } from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";

describe("cited sources", () => {
  it.for([
    ["openai", "cited"],
    ["openai-responses", "cited"],
    ["google", "cited"],
    ["openrouter", "cited"],
  ] as const)("The finish of an answer of %s has its cited sources, each address once", async ([provider, name]) => {
    const { text, end } = readAnswer(await ask(provider, name));
    expect(text).toBe("Spain won.");
    expect(end).toMatchObject({
      type: "finish",
      sources: [
        { url: "https://a.example/won", title: "A says" },
        { url: "https://b.example/", title: "b.example" },
      ],
    });
  });

  it("Cited addresses without a title are stored as sources too, and invalid addresses are not", async () => {
    const { end } = readAnswer(await ask("openai", "citations"));
    expect(end).toMatchObject({ sources: [{ url: "https://a.example/won" }, { url: "https://b.example/" }] });
  });

  it("An answer without citations has no sources", async () => {
    expect(readAnswer(await ask("google", "text")).end).not.toHaveProperty("sources");
  });
});

it("An image in an answer is a separate block between the text blocks", async () => {
  const parts = await ask("google", "text-and-picture");
  expect(grammarFaults(parts)).toEqual([]);
  const blocks = emitted(parts).filter((part) => part.type.endsWith("_start"));
  expect(blocks).toMatchObject([
    { type: "text_start", index: 0 },
    { type: "media_start", index: 1, mime_type: "image/png" },
    { type: "text_start", index: 2 },
  ]);
  expect(readAnswer(parts).text).toBe("Here it is: A dot.");
});

it.for([
  ["google", "audio", ["media_start", "media_end"]],
  ["google", "video", ["text_start", "text_end", "media_start", "media_end"]],
  ["openai", "spoken", ["text_start", "media_start", "text_end", "media_end"]],
  ["openrouter", "spoken", ["text_start", "media_start", "text_end", "media_end"]],
  ["openrouter", "text-and-picture", ["text_start", "text_end", "media_start", "media_end", "text_start", "text_end"]],
] as const)(
  "Each block of an answer of %s (case %s) has one start and one end, with its pieces in between",
  async ([provider, name, types]) => {
    const parts = await ask(provider, name);
    expect(grammarFaults(parts)).toEqual([]);
    const blocks = emitted(parts).filter((part) => /_(start|end)$/.test(part.type));
    expect(blocks.map(({ type }) => type)).toEqual(types);
  },
);
