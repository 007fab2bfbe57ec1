// Models of Together AI at its own address.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/togetherai/models",
      date: "2026-07-02",
    },
    models: {
      "LiquidAI/LFM2-24B-A2B": [32_768, null, 32_768, [0.03, 0.12, null, null], "vtr"],
      "MiniMaxAI/MiniMax-M2.5": [204_800, null, 131_072, [0.3, 1.2, 0.06, null], "vTRX"],
      "MiniMaxAI/MiniMax-M2.7": [202_752, null, 131_072, [0.3, 1.2, 0.06, null], "vTSR"],
      "MiniMaxAI/MiniMax-M3": [524_288, null, 250_000, [0.3, 1.2, 0.06, null], "VTSR"],
      "Qwen/Qwen2.5-7B-Instruct-Turbo": [32_768, null, 32_768, [0.3, 0.3, null, null], "vTSr"],
      "Qwen/Qwen3-235B-A22B-Instruct-2507-tput": [262_144, null, 262_144, [0.2, 0.6, null, null], "vTr"],
      "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8": [262_144, null, 262_144, [2, 2, null, null], "vTrX"],
      "Qwen/Qwen3-Coder-Next-FP8": [262_144, null, 262_144, [0.5, 1.2, null, null], "vTrX"],
      "Qwen/Qwen3.5-397B-A17B": [262_144, null, 130_000, [0.6, 3.6, null, null], "VTR"],
      "Qwen/Qwen3.5-9B": [262_144, null, 65_536, [0.17, 0.25, null, null], "VTSR"],
      "Qwen/Qwen3.6-Plus": [1_000_000, null, 500_000, [0.5, 3, null, null], "vTR"],
      "Qwen/Qwen3.7-Max": [1_000_000, null, 500_000, [1.25, 3.75, null, null], "vTr"],
      "deepcogito/cogito-v2-1-671b": [163_840, null, 163_840, [1.25, 1.25, null, null], "vtR"],
      "deepseek-ai/DeepSeek-R1": [163_839, null, 163_839, [3, 7, null, null], "vtRX"],
      "deepseek-ai/DeepSeek-V3": [131_072, null, 131_072, [1.25, 1.25, null, null], "vTrX"],
      "deepseek-ai/DeepSeek-V3-1": [131_072, null, 131_072, [0.6, 1.7, null, null], "vTRX"],
      "deepseek-ai/DeepSeek-V4-Pro": [512_000, null, 384_000, [1.74, 3.48, 0.2, null], "vTSR"],
      "essentialai/Rnj-1-Instruct": [32_768, null, 32_768, [0.15, 0.15, null, null], "vTr"],
      "google/gemma-3n-E4B-it": [32_768, null, 32_768, [0.06, 0.12, null, null], "vtSr"],
      "google/gemma-4-31B-it": [262_144, null, 131_072, [0.39, 0.97, null, null], "VTSR"],
      "meta-llama/Llama-3.3-70B-Instruct-Turbo": [131_072, null, 131_072, [0.88, 0.88, null, null], "vTr"],
      "meta-llama/Meta-Llama-3-8B-Instruct-Lite": [8_192, null, 8_192, [0.14, 0.14, null, null], "vtr"],
      "moonshotai/Kimi-K2.5": [262_144, null, 262_144, [0.5, 2.8, null, null], "VTRX"],
      "moonshotai/Kimi-K2.6": [262_144, null, 131_000, [1.2, 4.5, 0.2, null], "VTSR"],
      "moonshotai/Kimi-K2.7-Code": [262_144, null, 131_072, [0.95, 4, 0.19, null], "vTSR"],
      "nvidia/nemotron-3-ultra-550b-a55b": [512_300, null, 512_300, [0.6, 3.6, 0.2, null], "vTSR"],
      "openai/gpt-oss-120b": [131_072, null, 131_072, [0.15, 0.6, null, null], "vTR"],
      "openai/gpt-oss-20b": [131_072, null, 131_072, [0.05, 0.2, null, null], "vTSR"],
      "pearl-ai/gemma-4-31b-it": [32_000, null, 32_000, [0.28, 0.86, null, null], "vtR"],
      "zai-org/GLM-5": [202_752, null, 131_072, [1, 3.2, null, null], "vTSR"],
      "zai-org/GLM-5.1": [202_752, null, 131_072, [1.4, 4.4, null, null], "vTSR"],
      "zai-org/GLM-5.2": [262_144, null, 164_000, [1.4, 4.4, 0.26, null], "vTSR"],
    },
  },
];
