// Models of Moonshot AI at its own address.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/moonshotai/models",
      date: "2026-07-02",
    },
    models: {
      "kimi-k2-0711-preview": [131_072, null, 16_384, [0.6, 2.5, 0.15, null], "vTr"],
      "kimi-k2-0905-preview": [262_144, null, 262_144, [0.6, 2.5, 0.15, null], "vTr"],
      "kimi-k2-thinking": [262_144, null, 262_144, [0.6, 2.5, 0.15, null], "vTR"],
      "kimi-k2-thinking-turbo": [262_144, null, 262_144, [1.15, 8, 0.15, null], "vTR"],
      "kimi-k2-turbo-preview": [262_144, null, 262_144, [2.4, 10, 0.6, null], "vTr"],
      "kimi-k2.5": [262_144, null, 262_144, [0.6, 3, 0.1, null], "VTSR"],
      "kimi-k2.6": [262_144, null, 262_144, [0.95, 4, 0.16, null], "VTSR"],
      "kimi-k2.7-code": [262_144, null, 262_144, [0.95, 4, 0.19, null], "VTSR"],
      "kimi-k2.7-code-highspeed": [262_144, null, 262_144, [1.9, 8, 0.38, null], "VTSR"],
    },
  },
];
