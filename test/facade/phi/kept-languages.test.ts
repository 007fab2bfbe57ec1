// The language models of provider packages that loops with the same config share.

import { describe, expect, it } from "vitest";

import { keptLanguages } from "#facade/phi/provider/kept-languages.ts";
import { modelsOf } from "#facade/phi/provider/models-of.ts";

import { key, modelRequest, partsOf, protocolNames, serveModels } from "./support/served-models.ts";

const server = serveModels();

describe("kept language models", () => {
  it("Language models are kept for the same config with the same variables, and for nothing else", () => {
    const config = server.config("openai_completions", "gpt");
    const binding = { run: () => null };
    const variables = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AI: binding };
    const first = keptLanguages(config, variables);
    expect(keptLanguages(config, { ...variables })).toBe(first);
    const others = [
      keptLanguages({ ...config }, variables),
      keptLanguages(config, { ...variables, AWS_SECRET_ACCESS_KEY: "c" }),
      keptLanguages(config, { ...variables, AI: { ...binding } }),
      keptLanguages(config, { ...variables, AWS_SESSION_TOKEN: "t" }),
      keptLanguages(config, { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" }),
    ];
    expect(new Set([first, ...others]).size).toBe(6);
    // A variable that is undefined is not the same as another one that is absent.
    const before = keptLanguages(config, { AWS_REGION: undefined });
    expect(keptLanguages(config, { AWS_SESSION_TOKEN: "t" })).not.toBe(before);
  });

  it.each(protocolNames)(
    "Requests of one config over %s have the key, the header and the fetch of their own connection",
    async (api) => {
      const config = server.config(api, "case:text");
      const ask = async (marker: string, change: Partial<typeof config> = {}) => {
        Object.assign(config, change);
        let sent: Record<string, string> = {};
        const marked: typeof fetch = (input, init) => {
          const headers = new Headers(init?.headers);
          sent = { ...Object.fromEntries(headers), "x-marker": marker };
          return fetch(input, init);
        };
        const { port, model } = modelsOf({ modelConfig: config }, { env: {}, fetch: marked });
        const end = (await partsOf(port, modelRequest(model))).at(-1);
        return { end: end?.type, sent };
      };
      const { end, sent: first } = await ask("one");
      expect([end, first["x-marker"]]).toEqual(["finish", "one"]);
      expect((await ask("two")).sent).toEqual({ ...first, "x-marker": "two" });
      const headers = { ...config.headers, "x-own": "own" };
      expect((await ask("three", { headers })).sent).toEqual({ ...first, "x-marker": "three", "x-own": "own" });
      // The local server may refuse the other key, so only the sent header counts.
      const other = `${key}-other`;
      const { sent: last } = await ask("four", { api_key: other });
      const name = Object.keys(first).find((header) => first[header]?.includes(key)) ?? "";
      expect(last[name]).toBe(first[name]?.replace(key, other));
      expect(name).not.toBe("");
    },
  );
});
