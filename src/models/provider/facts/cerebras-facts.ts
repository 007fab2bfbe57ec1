// Models of Cerebras at its own address.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/cerebras/models",
      date: "2026-07-02",
    },
    models: {
      "gpt-oss-120b": [131_072, null, 40_960, [0.35, 0.75, null, null], "vTSR"],
      "zai-glm-4.7": [131_072, null, 40_960, [2.25, 2.75, null, null], "vTSR"],
    },
  },
];
