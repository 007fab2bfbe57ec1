// Models of Z.ai at its own address.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/zai/models",
      date: "2026-07-02",
    },
    models: {
      "glm-4.5": [131_072, null, 98_304, [0.6, 2.2, 0.11, null], "vTR"],
      "glm-4.5-air": [131_072, null, 98_304, [0.2, 1.1, 0.03, null], "vTR"],
      "glm-4.5-flash": [131_072, null, 98_304, null, "vTR"],
      "glm-4.5v": [64_000, null, 16_384, [0.6, 1.8, null, null], "VTR"],
      "glm-4.6": [204_800, null, 131_072, [0.6, 2.2, 0.11, null], "vTR"],
      "glm-4.6v": [128_000, null, 32_768, [0.3, 0.9, null, null], "VTR"],
      "glm-4.7": [204_800, null, 131_072, [0.6, 2.2, 0.11, null], "vTR"],
      "glm-4.7-flash": [200_000, null, 131_072, null, "vTR"],
      "glm-4.7-flashx": [200_000, null, 131_072, [0.07, 0.4, 0.01, null], "vTR"],
      "glm-5": [204_800, null, 131_072, [1, 3.2, 0.2, null], "vTR"],
      "glm-5-turbo": [200_000, null, 131_072, [1.2, 4, 0.24, null], "vTSR"],
      "glm-5.1": [200_000, null, 131_072, [1.4, 4.4, 0.26, null], "vTSR"],
      "glm-5.2": [1_000_000, null, 131_072, [1.4, 4.4, 0.26, null], "vTSR"],
      "glm-5v-turbo": [200_000, null, 131_072, [1.2, 4, 0.24, null], "VTR"],
    },
  },
];
