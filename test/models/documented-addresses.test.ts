// The addresses of gateways in docs/guide/models.md: a model with such an address sends its requests below it.

import { expect, it } from "vitest";

import { createModelPort } from "#models/create-model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { collect, keys, model, request } from "./ask-model.ts";

const [page = ""] = Object.values(
  import.meta.glob("../../docs/guide/models.md", { query: "?raw", import: "default", eager: true }),
) as string[];

/** Rows of the page with an address. They begin with a provider. */
const rows = [...page.matchAll(/^\| (?<of>[^|]+) \| `(?<address>https?:\/\/[^`]+)`/gm)].map(({ groups = {} }) => {
  const { of = "", address = "" } = groups;
  return [/^`([\w-]+)`/.exec(of)?.[1] ?? "", address] as [AnyModelDefinition["provider"], string];
});

const paths: Record<string, string> = {
  anthropic: "/messages",
  openai: "/chat/completions",
  "openai-compatible": "/chat/completions",
  google: "/models/some-model:streamGenerateContent?alt=sse",
};

it("The page on models has the addresses of four ways through AI Gateway", () => {
  expect(rows.map(([provider]) => provider)).toEqual(["anthropic", "openai", "google", "openai-compatible"]);
});

it.each(rows)(
  "A model of %s with the base URL %s requests the path of its protocol below it",
  async (provider, baseUrl) => {
    const sent: string[] = [];
    const port = createModelPort({
      env: { ...keys, OPENAI_COMPATIBLE_API_KEY: "key-0005" },
      fetch: (input) => {
        sent.push(input instanceof Request ? input.url : String(input));
        return Promise.reject(new Error("no server"));
      },
    });
    await collect(port.stream(request(model(provider, "some-model", { baseUrl })), new AbortController().signal));
    expect(sent).toEqual([`${baseUrl}${paths[provider] ?? ""}`]);
  },
);
