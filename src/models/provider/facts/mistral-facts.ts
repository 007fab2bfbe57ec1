// Models of Mistral at its own address.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/mistral/models",
      date: "2026-07-02",
    },
    models: {
      "codestral-latest": [256_000, null, 4_096, [0.3, 0.9, null, null], "vTr"],
      "devstral-2512": [262_144, null, 262_144, [0.4, 2, null, null], "vTrX"],
      "devstral-latest": [262_144, null, 262_144, [0.4, 2, null, null], "vTrX"],
      "devstral-medium-2507": [128_000, null, 128_000, [0.4, 2, null, null], "vTrX"],
      "devstral-medium-latest": [262_144, null, 262_144, [0.4, 2, null, null], "vTrX"],
      "devstral-small-2505": [128_000, null, 128_000, [0.1, 0.3, null, null], "vTrX"],
      "devstral-small-2507": [128_000, null, 128_000, [0.1, 0.3, null, null], "vTrX"],
      "labs-devstral-small-2512": [256_000, null, 256_000, null, "VTrX"],
      "magistral-medium-latest": [128_000, null, 16_384, [2, 5, null, null], "vTR"],
      "magistral-small": [128_000, null, 128_000, [0.5, 1.5, null, null], "vTR"],
      "ministral-3b-latest": [128_000, null, 128_000, [0.04, 0.04, null, null], "vTr"],
      "ministral-8b-latest": [128_000, null, 128_000, [0.1, 0.1, null, null], "vTr"],
      "mistral-large-2411": [131_072, null, 16_384, [2, 6, null, null], "vTr"],
      "mistral-large-2512": [262_144, null, 262_144, [0.5, 1.5, null, null], "VTr"],
      "mistral-large-latest": [262_144, null, 262_144, [0.5, 1.5, null, null], "VTr"],
      "mistral-medium-2505": [131_072, null, 131_072, [0.4, 2, null, null], "VTr"],
      "mistral-medium-2508": [262_144, null, 262_144, [0.4, 2, null, null], "VTr"],
      "mistral-medium-2604": [262_144, null, 262_144, [1.5, 7.5, null, null], "VTSR"],
      "mistral-medium-latest": [262_144, null, 262_144, [0.4, 2, null, null], "VTr"],
      "mistral-nemo": [128_000, null, 128_000, [0.15, 0.15, null, null], "vTr"],
      "mistral-small-2506": [128_000, null, 16_384, [0.1, 0.3, null, null], "VTr"],
      "mistral-small-2603": [256_000, null, 256_000, [0.15, 0.6, null, null], "VTR"],
      "mistral-small-latest": [256_000, null, 256_000, [0.15, 0.6, null, null], "VTR"],
      "open-mistral-7b": [8_000, null, 8_000, [0.25, 0.25, null, null], "vTr"],
      "open-mistral-nemo": [128_000, null, 128_000, [0.15, 0.15, null, null], "vTrX"],
      "open-mixtral-8x22b": [64_000, null, 64_000, [2, 6, null, null], "vTr"],
      "open-mixtral-8x7b": [32_000, null, 32_000, [0.7, 0.7, null, null], "vTr"],
      "pixtral-12b": [128_000, null, 128_000, [0.15, 0.15, null, null], "VTr"],
      "pixtral-large-latest": [128_000, null, 128_000, [2, 6, null, null], "VTr"],
    },
  },
];
