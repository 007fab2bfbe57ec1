// The routes that describe the service: definitions, health, the OpenAPI document, the page.

import { describe, expect, it } from "vitest";

import type { BuiltInRoute } from "#contract/built-in-route.ts";
import { agentViewSchema, modelViewSchema, promptViewSchema, toolViewSchema } from "#contract/definition.ts";
import { packageVersion } from "#contract/version.ts";

import { allRouteNames, allRoutes } from "../support/all-routes.ts";
import { origin, refusalOf, testApp } from "./support/test-app.ts";

const { ask } = testApp();

describe("definitions", () => {
  it.each([
    ["agents", "helper", agentViewSchema, "agent_not_found"],
    ["prompts", "helping", promptViewSchema, "prompt_not_found"],
    ["models", "fast", modelViewSchema, "model_not_found"],
    ["tools", "get_weather", toolViewSchema, "tool_not_found"],
  ] as const)(
    "HTTP22 The route /api/%s lists definitions, shows one by its name, and answers 404 for an unknown name",
    async (plural, name, schema, code) => {
      const list = await (await ask(`/api/${plural}`)).json<Record<string, { name: string }[]>>();
      expect(list).toHaveProperty("next_cursor", null);
      const one = await (await ask(`/api/${plural}/${name}`)).json();
      expect(schema.strict().parse(one)).toEqual(one);
      expect(list[plural]?.find((each) => each.name === name)).toEqual(one);
      const missing = await ask(`/api/${plural}/${name}x`);
      expect(await refusalOf(missing.clone())).toMatchObject({ status: 404, code });
      expect(await missing.text()).toContain(`Did you mean \\"${name}\\"`);
      expect((await ask(`/api/${plural}/constructor`)).status).toBe(404);
    },
  );

  it("HTTP23 An icon in a view is a full URL", async () => {
    expect(await (await ask("/api/agents/helper")).json()).toMatchObject({
      icon: `${origin}/helper.svg`,
      title: "helper",
    });
  });

  it("HTTP23 A model's view shows whether the model is ready or which variable is missing, and no headers", async () => {
    const text = await (await ask("/api/models/fast")).text();
    expect(JSON.parse(text)).toMatchObject({ ready: false, missing: "OPENAI_API_KEY", inputPrice: 1 });
    expect(text).not.toContain("do-not-show");
    const lacking = testApp({ dependencies: { readiness: () => ({ ready: false, missing: ["A_KEY", "B_TOKEN"] }) } });
    expect(await (await lacking.ask("/api/models/fast")).json()).toMatchObject({
      ready: false,
      missing: "A_KEY",
      missing_names: ["A_KEY", "B_TOKEN"],
    });
    const complete = testApp({ dependencies: { readiness: () => ({ ready: true, missing: [] }) } });
    expect(await (await complete.ask("/api/models/fast")).json()).toMatchObject({ ready: true, missing: null });
  });

  it("HTTP23 A model's view shows its prices and capabilities, and the sources of those that the definition does not state", async () => {
    const source = { url: "https://prices.example/", date: "2026-07-02" };
    expect(await (await ask("/api/models/fast")).json()).toMatchObject({
      inputPrice: 1,
      outputPrice: 10,
      cachedPrice: null,
      cacheWritePrice: null,
      longPrompt: { above: 100_000, inputPrice: 1, outputPrice: 20, cachedPrice: null, cacheWritePrice: null },
      prices_source: source,
      capabilities: { vision: true, functionCalling: true, reasoning: false },
      capabilities_source: source,
    });
  });

  it("A model's view shows its token limits and their source", async () => {
    expect(await (await ask("/api/models/fast")).json()).toMatchObject({
      context_window: 128_000,
      input_limit: null,
      output_limit: 16_384,
      limits_source: { url: expect.stringContaining("https://"), date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
      max_tokens: null,
    });
  });

  it("HTTP24 A tool's arguments are a closed JSON Schema in which defaults may be left out", async () => {
    expect(await (await ask("/api/tools/get_weather")).json()).toEqual({
      name: "get_weather",
      file: null,
      kind: "tool",
      description: "Tells the weather",
      remote: false,
      approval: "never",
      result_schema: null,
      parameters: {
        type: "object",
        properties: {
          city: { type: "string" },
          unit: { type: "string", enum: ["c", "f"], default: "c" },
          at: {
            type: "object",
            properties: { day: { type: "number" } },
            required: ["day"],
            additionalProperties: false,
          },
        },
        required: ["city"],
        additionalProperties: false,
      },
    });
    expect(await (await ask("/api/tools/ask")).json()).toMatchObject({
      remote: true,
      parameters: { type: "object", properties: {}, additionalProperties: false },
      result_schema: {
        type: "object",
        properties: { place: { type: "string" }, people: { type: "integer" } },
        required: ["place"],
        additionalProperties: false,
      },
    });
  });
});

describe("health", () => {
  it("HTTP25 The health route answers without credentials", async () => {
    expect(await (await ask("/healthz", { token: null })).json()).toEqual({ status: "ok", version: "1.2.3" });
  });

  it("HTTP25 The health route shows the findings of the last build", async () => {
    const diagnostics = [{ severity: "error", code: "syntax", message: "no", file: "agents/a.ts", line: 1 }] as const;
    const broken = testApp({ dependencies: { diagnostics } });
    expect(await (await broken.ask("/healthz", { token: null })).json()).toMatchObject({ status: "ok", diagnostics });
  });
});

describe("the OpenAPI document", () => {
  type Part = Record<string, unknown>;
  const document = async (): Promise<Part & { paths: Record<string, Record<string, Part>> }> =>
    (await ask("/api/openapi.json")).json();

  it("HTTP26 The OpenAPI document has every route with its method, its parameters and its body", async () => {
    const { paths, openapi } = await document();
    expect(openapi).toBe("3.1.0");
    for (const name of allRouteNames) {
      const route = allRoutes[name] as BuiltInRoute<string>;
      const operation = paths[route.path.replaceAll(/[:*](\w+)\??/g, "{$1}")]?.[route.method.toLowerCase()];
      expect(operation, name).toMatchObject({ operationId: name, summary: route.summary });
      expect(operation, name).toHaveProperty("responses.default");
      const takesBytes = "raw" in route && route.raw === "request";
      expect("requestBody" in (operation ?? {}), name).toBe("body" in route || takesBytes);
      const inPath = ((operation?.["parameters"] ?? []) as Part[]).filter((each) => each["in"] === "path");
      expect(inPath.length, name).toBe(route.path.match(/[:*]/g)?.length ?? 0);
    }
    const count = Object.values(paths).flatMap((path) => Object.keys(path)).length;
    expect(count).toBe(allRouteNames.length);
  });

  it("HTTP26 The OpenAPI document has no reference without a target", async () => {
    const whole = await document();
    const references: string[] = [];
    JSON.stringify(whole, (key, value: unknown) => {
      if (key === "$ref") references.push(String(value));
      return value;
    });
    expect(references.length).toBeGreaterThan(40);
    for (const reference of references) {
      const steps = reference.replace(/^#\//, "").split("/");
      let at: unknown = whole;
      for (const step of steps) at = (at as Part | undefined)?.[step];
      expect(at, reference).toBeTypeOf("object");
    }
    expect(JSON.stringify(whole)).not.toContain('"$schema"');
  });

  it("HTTP26 The OpenAPI document has the package's version, this deployment as its server, and a description of each group of routes", async () => {
    const { info, servers, tags, paths } = (await document()) as unknown as {
      info: Part;
      servers: Part[];
      tags: { name: string; description: string }[];
      paths: Record<string, Record<string, { tags: string[] }>>;
    };
    expect(info["version"]).toBe(packageVersion);
    expect(servers).toMatchObject([{ url: "/" }]);
    const used = Object.values(paths).flatMap((path) => Object.values(path).flatMap((operation) => operation.tags));
    expect(new Set(used)).toEqual(new Set(tags.map(({ name }) => name)));
    expect(tags.filter(({ description }) => description === "")).toEqual([]);
  });

  it("HTTP26 The OpenAPI document has the schemas that validation uses", async () => {
    const whole = JSON.stringify(await document());
    const { paths, components } = JSON.parse(whole) as {
      paths: Record<string, Record<string, Part>>;
      components: { schemas: Record<string, Part> };
    };
    expect(components.schemas["CreateThreadBody"]).toMatchObject({
      required: ["agent_id"],
      additionalProperties: false,
    });
    expect(paths["/api/threads"]?.["get"]?.["parameters"]).toContainEqual({
      name: "limit",
      in: "query",
      required: false,
      schema: { type: "integer", minimum: 1, maximum: 200, default: 50 },
    });
    expect(paths["/healthz"]?.["get"]).toMatchObject({ security: [] });
  });
});
