// Models of Groq at its own address.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/groq/models",
      date: "2026-07-02",
    },
    models: {
      "groq/compound": [131_072, null, 8_192, null, "vtr"],
      "groq/compound-mini": [131_072, null, 8_192, null, "vtr"],
      "llama-3.1-8b-instant": [131_072, null, 131_072, [0.05, 0.08, null, null], "vTr"],
      "llama-3.3-70b-versatile": [131_072, null, 32_768, [0.59, 0.79, null, null], "vTr"],
      "meta-llama/llama-4-scout-17b-16e-instruct": [131_072, null, 8_192, [0.11, 0.34, null, null], "VTSr"],
      "openai/gpt-oss-120b": [131_072, null, 65_536, [0.15, 0.6, 0.075, null], "vTSR"],
      "openai/gpt-oss-20b": [131_072, null, 65_536, [0.075, 0.3, 0.0375, null], "vTSR"],
      "qwen/qwen3-32b": [131_072, null, 40_960, [0.29, 0.59, null, null], "vTR"],
    },
  },
];
