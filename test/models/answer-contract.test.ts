// Every provider and every preset fulfils the contract of answers.

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
  { name: "workers-ai", provider: "workers-ai" },
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
