// Models of Cloudflare Workers AI at its own address.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/cloudflare-workers-ai/models",
      date: "2026-07-02",
    },
    models: {
      "@cf/aisingapore/gemma-sea-lion-v4-27b-it": [128_000, null, 128_000, [0.351, 0.555, null, null], "vtsr"],
      "@cf/deepseek-ai/deepseek-r1-distill-qwen-32b": [80_000, null, 80_000, [0.497, 4.881, null, null], "vtsR"],
      "@cf/google/gemma-4-26b-a4b-it": [256_000, null, 16_384, [0.1, 0.3, null, null], "VTSR"],
      "@cf/ibm-granite/granite-4.0-h-micro": [131_000, null, 131_000, [0.017, 0.112, null, null], "vTsr"],
      "@cf/meta/llama-3.1-8b-instruct-fp8": [32_000, null, 32_000, [0.152, 0.287, null, null], "vtsr"],
      "@cf/meta/llama-3.2-11b-vision-instruct": [128_000, null, 128_000, [0.0485, 0.676, null, null], "Vtsr"],
      "@cf/meta/llama-3.2-1b-instruct": [60_000, null, 60_000, [0.027, 0.201, null, null], "vtsr"],
      "@cf/meta/llama-3.2-3b-instruct": [80_000, null, 80_000, [0.0509, 0.335, null, null], "vtsr"],
      "@cf/meta/llama-3.3-70b-instruct-fp8-fast": [24_000, null, 24_000, [0.293, 2.253, null, null], "vTsr"],
      "@cf/meta/llama-4-scout-17b-16e-instruct": [131_000, null, 16_384, [0.27, 0.85, null, null], "VTsr"],
      "@cf/mistralai/mistral-small-3.1-24b-instruct": [128_000, null, 128_000, [0.351, 0.555, null, null], "vTsr"],
      "@cf/moonshotai/kimi-k2.6": [262_144, null, 256_000, [0.95, 4, 0.16, null], "VTSR"],
      "@cf/moonshotai/kimi-k2.7-code": [262_144, null, 262_144, [0.95, 4, 0.19, null], "VTSR"],
      "@cf/nvidia/nemotron-3-120b-a12b": [256_000, null, 256_000, [0.5, 1.5, null, null], "vTSR"],
      "@cf/openai/gpt-oss-120b": [128_000, null, 16_384, [0.35, 0.75, null, null], "vTSR"],
      "@cf/openai/gpt-oss-20b": [128_000, null, 16_384, [0.2, 0.3, null, null], "vTSR"],
      "@cf/qwen/qwen2.5-coder-32b-instruct": [32_768, null, 32_768, [0.66, 1, null, null], "vtsr"],
      "@cf/qwen/qwen3-30b-a3b-fp8": [32_768, null, 32_768, [0.0509, 0.335, null, null], "vTsR"],
      "@cf/qwen/qwq-32b": [24_000, null, 24_000, [0.66, 1, null, null], "vtsR"],
      "@cf/zai-org/glm-4.7-flash": [131_072, null, 131_072, [0.0605, 0.4, null, null], "vTSR"],
      "@cf/zai-org/glm-5.2": [262_144, null, 262_144, [1.4, 4.4, 0.26, null], "vTSR"],
    },
  },
];
