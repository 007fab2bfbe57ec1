// The `test` provider: the script in the model's definition determines the answers. It needs no API key and no network.

import type { LocalProvider } from "./provider-profile.ts";
import { playScript } from "./test/play-script.ts";

/** The scripted provider of tests and demos. */
export const test: LocalProvider = {
  name: "test",
  isReady: ({ script }) => script !== undefined,
  play: playScript,
};
