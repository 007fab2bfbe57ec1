// Models of DeepSeek at its own address.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/deepseek/models",
      date: "2026-07-02",
    },
    models: {
      "deepseek-chat": [1_000_000, null, 384_000, [0.14, 0.28, 0.0028, null], "vTr"],
      "deepseek-reasoner": [1_000_000, null, 384_000, [0.14, 0.28, 0.0028, null], "vTR"],
      "deepseek-v4-flash": [1_000_000, null, 384_000, [0.14, 0.28, 0.0028, null], "vTSR"],
      "deepseek-v4-pro": [1_000_000, null, 384_000, [0.435, 0.87, 0.003625, null], "vTSR"],
    },
  },
];
