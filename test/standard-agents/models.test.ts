// Standard Agents, models: every field of a model, seen in requests, rows or events.

import { defineModel } from "@standardagents/spec";
import type { ModelProvider } from "@standardagents/spec";
import { describe, expect, it } from "vitest";

import { scriptedModel, serve, start } from "./project.ts";
import { bodySentBy, sentBy } from "./wire.ts";

const failing = () => ({ error: { kind: "api" as const, message: "cannot" } });
const models = (...names: string[]) => names.map((name) => scriptedModel(name, () => ({ text: name })));

describe("a model", () => {
  it("SAMODEL1 defineModel returns its argument, and the project then has that model", async () => {
    const options = { name: "made", provider: "test", model: "m" } as const;
    const made = defineModel(options);
    expect(made).toBe(options);
    const known = serve({ models: [made] });
    expect((await known.fetch("/api/models/made")).status).toBe(200);
    expect((await serve().fetch("/api/models/made")).status).toBe(404);
  });

  it("SAMODEL2 A model's name is the one that prompts refer to", async () => {
    for (const name of ["first", "second"]) {
      const { thread } = await start({ prompt: { model: name }, models: models("first", "second") });
      const events = await thread.say("Hello");
      expect(events.find(({ type }) => type === "step_start")).toMatchObject({ model: name });
      expect((await thread.run()).text).toBe(name);
    }
  });

  it("SAMODEL3 ModelDefinition.provider decides which protocol is used", async () => {
    const path = async (provider: Exclude<ModelProvider, "test">) => (await sentBy(provider))[0]?.path;
    expect([await path("openai"), await path("anthropic"), await path("google"), await path("openrouter")]).toEqual([
      "/v1/chat/completions",
      "/v1/messages",
      "/v1beta/models/case:text:streamGenerateContent",
      "/api/v1/chat/completions",
    ]);
  });

  it("SAMODEL4 ModelDefinition.model is the id that the provider is sent", async () => {
    expect((await bodySentBy("openai", { model: { model: "case:text" } }))["model"]).toBe("case:text");
    expect((await bodySentBy("openai", { model: { model: "gpt-next" } }))["model"]).toBe("gpt-next");
  });

  it("SAMODEL5 ModelDefinition.includedProviders is OpenRouter's order of preference", async () => {
    const order = async (includedProviders: string[]) => {
      const { provider } = await bodySentBy("openrouter", { model: { includedProviders } });
      return provider?.["order"];
    };
    expect(await order(["anthropic", "google"])).toEqual(["anthropic", "google"]);
    expect(await order(["google", "anthropic"])).toEqual(["google", "anthropic"]);
    expect(await order([])).toBeUndefined();
  });

  it("SAMODEL6 ModelDefinition.fallbacks are tried in order after the model has used up its retries", async () => {
    const { thread } = await start({
      script: failing,
      model: { fallbacks: ["broken", "last"] },
      models: [scriptedModel("broken", failing), ...models("last")],
    });
    const events = await thread.say("Hello");
    const fallbacks = events.flatMap((event) => (event.type === "model_fallback" ? [[event.from, event.to]] : []));
    expect(fallbacks).toEqual([
      ["main", "broken"],
      ["broken", "last"],
    ]);
    expect(await thread.run()).toMatchObject({ status: "completed", text: "last" });
    const { thread: alone } = await start({ script: failing, models: models("last") });
    await alone.say("Hello");
    expect((await alone.run()).status).toBe("error");
  });
});

describe("prices", () => {
  const usage = { input: 1_000_000, output: 2_000_000, cacheRead: 500_000 };
  const costOf = async (model: object) => {
    const { thread } = await start({ model, script: () => ({ text: "ok", usage }) });
    await thread.say("Hello");
    return { run: (await thread.run()).cost, log: (await thread.logs("llm_request"))[0]?.data["cost"] };
  };

  it("SAMODEL7 ModelDefinition.inputPrice is USD for a million tokens of the prompt", async () => {
    expect(await costOf({ inputPrice: 3, outputPrice: 0, cachedPrice: 0 })).toEqual({ run: 3, log: 3 });
    expect(await costOf({ inputPrice: 4, outputPrice: 0, cachedPrice: 0 })).toEqual({ run: 4, log: 4 });
    expect(await costOf({ outputPrice: 1, cachedPrice: 0 })).toEqual({ run: null, log: null });
  });

  it("SAMODEL8 ModelDefinition.outputPrice is USD for a million tokens of the answer", async () => {
    expect(await costOf({ inputPrice: 0, outputPrice: 5, cachedPrice: 0 })).toEqual({ run: 10, log: 10 });
    expect(await costOf({ inputPrice: 0, outputPrice: 6, cachedPrice: 0 })).toEqual({ run: 12, log: 12 });
  });

  it("SAMODEL9 ModelDefinition.cachedPrice is USD for a million cached tokens, by default the input price", async () => {
    expect(await costOf({ inputPrice: 0, outputPrice: 0, cachedPrice: 8 })).toEqual({ run: 4, log: 4 });
    expect(await costOf({ inputPrice: 2, outputPrice: 0 })).toEqual({ run: 3, log: 3 });
  });
});

describe("capabilities", () => {
  const shown = async (capabilities: object) =>
    (await serve({ model: { capabilities } }).fetch("/api/models/main")).json<{ capabilities: object }>();

  it("SAMODEL10 ModelDefinition.capabilities are returned as they are written", async () => {
    expect((await shown({ vision: true, functionCalling: false })).capabilities).toEqual({
      vision: true,
      functionCalling: false,
    });
    expect((await shown({})).capabilities).toEqual({});
  });

  it("SAMODEL11 ModelCapabilities.vision false turns an image into a line of text", async () => {
    const image = { type: "image" as const, mime_type: "image/png", data: "iVBORw0KGgo=" };
    const contentFor = async (capabilities: object) => {
      const [sent] = await sentBy("openai", { model: { capabilities } }, [{ type: "text", text: "See" }, image]);
      return [...(sent?.body["messages"]?.[1]?.["content"] ?? [])].map((part) => part["type"]);
    };
    expect(await contentFor({ vision: true })).toEqual(["text", "image_url"]);
    expect(await contentFor({ vision: false })).toEqual(["text", "text"]);
  });

  it("SAMODEL11 ModelCapabilities.vision is true by default", async () => {
    const image = { type: "image" as const, mime_type: "image/png", data: "iVBORw0KGgo=" };
    for (const model of [{}, { capabilities: {} }, { capabilities: { functionCalling: true } }]) {
      const [sent] = await sentBy("openai", { model }, [{ type: "text", text: "See" }, image]);
      const content = sent?.body["messages"]?.[1]?.["content"] ?? [];
      expect([...content].map((part) => part["type"])).toEqual(["text", "image_url"]);
    }
  });

  it("SAMODEL12 ModelCapabilities.functionCalling false sends no tools to the model", async () => {
    expect(await bodySentBy("openai", { model: { capabilities: { functionCalling: false } } })).not.toHaveProperty(
      "tools",
    );
    expect(await bodySentBy("openai", { model: { capabilities: { functionCalling: true } } })).toHaveProperty("tools");
  });

  it("SAMODEL13 ModelCapabilities.functionCalling left out means that the model calls tools", async () => {
    expect((await bodySentBy("openai"))["tools"]?.[0]?.["function"]).toMatchObject({ name: "act" });
    expect((await bodySentBy("openai", { model: { capabilities: {} } }))["tools"]).toHaveLength(1);
  });

  it("SAMODEL14 ModelCapabilities.structuredOutputs is returned to clients that choose a model by it", async () => {
    expect((await shown({ structuredOutputs: true })).capabilities).toEqual({ structuredOutputs: true });
    expect((await shown({ structuredOutputs: false })).capabilities).toEqual({ structuredOutputs: false });
  });
});

describe("providers and their keys", () => {
  const header = async (provider: Exclude<ModelProvider, "test">, name: string) =>
    (await sentBy(provider))[0]?.headers[name];

  it("SAMODEL15 The provider openai is sent the key OPENAI_API_KEY", async () => {
    expect(await header("openai", "authorization")).toBe("Bearer key-of-openai");
  });

  it("SAMODEL16 The provider openrouter is sent the key OPENROUTER_API_KEY", async () => {
    expect(await header("openrouter", "authorization")).toBe("Bearer key-of-openrouter");
  });

  it("SAMODEL17 The provider anthropic is sent the key ANTHROPIC_API_KEY", async () => {
    expect(await header("anthropic", "x-api-key")).toBe("key-of-anthropic");
  });

  it("SAMODEL18 The provider google is sent the key GOOGLE_API_KEY", async () => {
    expect(await header("google", "x-goog-api-key")).toBe("key-of-google");
  });

  it("SAMODEL19 The provider test answers from its script, without a key or a request", async () => {
    const { project, thread } = await start({ script: () => ({ text: "scripted" }) });
    await thread.say("Hello");
    expect((await thread.run()).text).toBe("scripted");
    expect(await (await project.fetch("/api/models/main")).json()).toMatchObject({ ready: true, missing: null });
  });
});
