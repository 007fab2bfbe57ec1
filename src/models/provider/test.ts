// The `test` provider: a definition's script answers in the process, without a key and without the network.

import type { LocalProvider } from "./provider-profile.ts";
import { playScript } from "./test/play-script.ts";

/** The scripted provider of tests and demos. */
export const test: LocalProvider = {
  name: "test",
  isReady: ({ script }) => script !== undefined,
  play: playScript,
};
