// The demo agents under agents/, used over the network as the pages of the guide use them.

import { describe } from "vitest";

import type { SuiteServer } from "../suite-server.ts";
import { adviser } from "./adviser.ts";
import { coder } from "./coder.ts";
import { concierge } from "./concierge.ts";
import { debate } from "./debate.ts";
import { endpoints } from "./endpoints.ts";
import { everyDemo } from "./every-demo.ts";
import { pictures } from "./pictures.ts";
import { purchase } from "./purchase.ts";
import { researcher } from "./researcher.ts";
import { review } from "./review.ts";
import { shop } from "./shop.ts";
import { strategies } from "./strategies.ts";
import { supportDesk } from "./support-desk.ts";
import { toolServer } from "./tool-server.ts";
import { weather } from "./weather.ts";

export function demos(use: () => SuiteServer): void {
  describe("the demos", () => {
    everyDemo(use);
    supportDesk(use);
    debate(use);
    researcher(use);
    review(use);
    concierge(use);
    pictures(use);
    weather(use);
    purchase(use);
    shop(use);
    strategies(use);
    adviser(use);
    coder(use);
    toolServer(use);
    endpoints(use);
  });
}
