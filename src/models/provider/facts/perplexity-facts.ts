// Models of Perplexity at its own address. Prices are absent. Each request has a fee in addition to the prices of tokens.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/perplexity/models",
      date: "2026-07-02",
    },
    models: {
      sonar: [128_000, null, 4_096, null, "vtr"],
      "sonar-deep-research": [128_000, null, 32_768, null, "vtR"],
      "sonar-pro": [200_000, null, 8_192, null, "Vtr"],
      "sonar-reasoning-pro": [128_000, null, 4_096, null, "VtR"],
    },
  },
];
