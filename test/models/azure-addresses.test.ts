// The addresses of the provider `azure`: from the name of a resource, from base URLs in their forms, and from target URIs of the portal.

import { expect, it } from "vitest";

import type { AnyModelDefinition } from "#spec/index.ts";

import { model, readAnswer } from "./ask-model.ts";
import { callCloud } from "./cloud-requests.ts";

const key = { AZURE_API_KEY: "azure-secret-0005" };
const resource = { AZURE_RESOURCE_NAME: "team" };
const chat = { api: "chat" } as const;
const dated = "?api-version=2024-10-21";

it.for<[string, string, Partial<AnyModelDefinition>, Record<string, string>]>([
  ["a resource", "https://team.openai.azure.com/openai/v1/responses", {}, resource],
  ["a resource with Chat Completions", "https://team.openai.azure.com/openai/v1/chat/completions", chat, resource],
  [
    "an endpoint as the portal shows it",
    "https://team.openai.azure.com/openai/v1/responses",
    {},
    { AZURE_OPENAI_ENDPOINT: "https://team.openai.azure.com/" },
  ],
  [
    "a Foundry host",
    "https://team.services.ai.azure.com/openai/v1/chat/completions",
    chat,
    { AZURE_BASE_URL: "https://team.services.ai.azure.com" },
  ],
  [
    "a path without a version",
    "https://team.openai.azure.com/openai/v1/responses",
    {},
    { AZURE_BASE_URL: "https://team.openai.azure.com/openai" },
  ],
  [
    "a dated version and Chat Completions",
    `https://team.openai.azure.com/openai/deployments/case%3Atext/chat/completions${dated}`,
    chat,
    { AZURE_BASE_URL: `https://team.openai.azure.com/${dated}` },
  ],
  [
    "a dated version and the Responses API",
    "https://team.openai.azure.us/openai/responses?api-version=2025-04-01-preview",
    {},
    { AZURE_BASE_URL: "https://team.openai.azure.us?api-version=2025-04-01-preview" },
  ],
  [
    "the path of a deployment",
    `https://team.openai.azure.cn/openai/deployments/other/chat/completions${dated}`,
    { ...chat, baseUrl: `https://team.openai.azure.cn/openai/deployments/other${dated}` },
    resource,
  ],
  [
    "the models of Foundry",
    "https://team.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview",
    { ...chat, baseUrl: "https://team.services.ai.azure.com/models?api-version=2024-05-01-preview" },
    {},
  ],
  [
    "a version that is no date",
    "https://team.openai.azure.com/openai/v1/responses?api-version=preview",
    {},
    { AZURE_BASE_URL: "https://team.openai.azure.com/openai/v1/?api-version=preview" },
  ],
  [
    "the target URI of a deployment",
    `https://team.openai.azure.com/openai/deployments/other/chat/completions${dated}`,
    chat,
    { AZURE_BASE_URL: `https://team.openai.azure.com/openai/deployments/other/chat/completions${dated}` },
  ],
  [
    "the target URI of a deployment and the Responses API",
    `https://team.openai.azure.com/openai/responses${dated}`,
    { baseUrl: `https://team.openai.azure.com/openai/deployments/other/chat/completions${dated}` },
    {},
  ],
  [
    "the target URI of version 1",
    "https://team.openai.azure.com/openai/v1/chat/completions",
    { ...chat, baseUrl: "https://team.openai.azure.com/openai/v1/chat/completions/" },
    {},
  ],
  [
    "the target URI of the other protocol",
    "https://team.openai.azure.com/openai/v1/responses",
    {},
    { AZURE_OPENAI_ENDPOINT: "https://team.openai.azure.com/openai/v1/chat/completions" },
  ],
  [
    "the target URI of the Responses API",
    "https://team.openai.azure.com/openai/responses?api-version=2025-04-01-preview",
    {},
    { AZURE_BASE_URL: "https://team.openai.azure.com/openai/responses?api-version=2025-04-01-preview" },
  ],
  [
    "the target URI of the Responses API and Chat Completions",
    `https://team.openai.azure.com/openai/deployments/case%3Atext/chat/completions${dated}`,
    chat,
    { AZURE_BASE_URL: `https://team.openai.azure.com/openai/responses${dated}` },
  ],
  [
    "the target URI of the models of Foundry",
    "https://team.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview",
    chat,
    { AZURE_BASE_URL: "https://team.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview" },
  ],
])(
  "CLOUD1 With %s the request goes to %s, and the key is in the header api-key alone",
  async ([, url, definition, env]) => {
    const { sent, parts } = await callCloud(model("azure", "case:text", definition), { ...key, ...env });
    expect(sent.map((one) => one.url)).toEqual([url]);
    expect(sent[0]?.headers.get("api-key")).toBe(key.AZURE_API_KEY);
    expect(sent[0]?.headers.has("authorization")).toBe(false);
    expect(JSON.parse(sent[0]?.body ?? "")).toMatchObject({ model: "case:text", stream: true });
    expect(readAnswer(parts)).toMatchObject({ text: "Hello there, how can I help?", end: { stop_reason: "stop" } });
  },
);
