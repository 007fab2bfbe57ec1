// The conversations of surfaces.test.ts in Node, where there are no threads.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startModelServer } from "../support/model-server/server.mjs";
import type { ModelServer } from "../support/model-server/server.mjs";
import { expectedBy } from "./difference.ts";
import { librarySurfaces } from "./library-surface.ts";
import { outcomeOf } from "./outcome.ts";
import { scenarios } from "./scenario.ts";

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});

afterAll(() => server.close());

const conversations = scenarios.flatMap((scenario) =>
  (["upp", "agents", "loop", "session"] as const).map((surface) => [scenario.name, surface, scenario] as const),
);

describe("surfaces in Node", () => {
  it.each(conversations)(
    "The conversation with %s has the same outcome through %s in Node as in a Worker",
    async (_name, surface, scenario) => {
      expect(await outcomeOf(librarySurfaces[surface], scenario, server.url)).toEqual(expectedBy(surface, scenario));
    },
  );
});
