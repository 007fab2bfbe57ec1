// Models of Fireworks AI at its own address.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/fireworks-ai/models",
      date: "2026-07-02",
    },
    models: {
      "accounts/fireworks/models/deepseek-v4-flash": [1_000_000, null, 384_000, [0.14, 0.28, 0.028, null], "vTSR"],
      "accounts/fireworks/models/deepseek-v4-pro": [1_000_000, null, 384_000, [1.74, 3.48, 0.145, null], "vTSR"],
      "accounts/fireworks/models/glm-5p1": [202_800, null, 131_072, [1.4, 4.4, 0.26, null], "vTR"],
      "accounts/fireworks/models/glm-5p2": [1_048_575, null, 131_072, [1.4, 4.4, 0.26, null], "vTR"],
      "accounts/fireworks/models/gpt-oss-120b": [131_072, null, 32_768, [0.15, 0.6, 0.015, null], "vTR"],
      "accounts/fireworks/models/gpt-oss-20b": [131_072, null, 32_768, [0.07, 0.3, 0.035, null], "vTR"],
      "accounts/fireworks/models/kimi-k2p6": [262_000, null, 262_000, [0.95, 4, 0.16, null], "VTR"],
      "accounts/fireworks/models/kimi-k2p7-code": [262_000, null, 262_000, [0.95, 4, 0.19, null], "VTR"],
      "accounts/fireworks/models/minimax-m2p7": [196_608, null, 196_608, [0.3, 1.2, 0.06, null], "vTR"],
      "accounts/fireworks/models/minimax-m3": [512_000, null, 512_000, [0.3, 1.2, 0.06, null], "vTR"],
      "accounts/fireworks/models/qwen3p7-plus": [262_144, null, 65_536, [0.4, 1.6, 0.08, null], "VTR"],
      "accounts/fireworks/routers/glm-5p1-fast": [202_800, null, 131_072, [2.8, 8.8, 0.52, null], "vTR"],
      "accounts/fireworks/routers/glm-5p2-fast": [1_048_575, null, 131_072, [2.1, 6.6, 0.21, null], "vTR"],
      "accounts/fireworks/routers/kimi-k2p6-fast": [262_000, null, 262_000, [2, 8, 0.3, null], "VTR"],
      "accounts/fireworks/routers/kimi-k2p6-turbo": [262_000, null, 262_000, [2, 8, 0.3, null], "VTR"],
      "accounts/fireworks/routers/kimi-k2p7-code-fast": [262_000, null, 262_000, [1.9, 8, 0.38, null], "VTR"],
    },
  },
];
