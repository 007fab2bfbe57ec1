// Every provider, every preset, and both forms of a provider of a project fulfil the contract of answers.

import { inject } from "vitest";

import { modelPresets, type PresetName } from "#spec/index.ts";

import { answerContract, type ContractTarget } from "./answer-contract.ts";
import { providers } from "./ask-model.ts";

const baseUrl = `${inject("modelServer")}/v1`;

const targets: ContractTarget[] = [
  ...providers.map((provider): ContractTarget => {
    const target: ContractTarget = { name: provider, provider };
    return provider === "bedrock" ? { ...target, isBinary: true } : target;
  }),
  { name: "workers-ai", provider: "workers-ai", isBound: true },
  { name: "a provider of a project over the AI SDK", provider: "own_sdk", isOwn: true },
  { name: "a function of a project", provider: "own_function", isOwn: true },
  ...(Object.keys(modelPresets) as PresetName[]).map((preset): ContractTarget => {
    const { keyVariable } = modelPresets[preset];
    return {
      name: preset,
      provider: "openai-compatible",
      definition: { preset, baseUrl },
      env: { [keyVariable]: "key" },
    };
  }),
];

for (const target of targets) answerContract(target);
