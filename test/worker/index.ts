// The Worker that the pool's tests run in: the real one, over definitions made for tests.

import { compose } from "#compose.ts";
import type { Environment } from "#environment.ts";

import { BareObject } from "./bare-object.ts";
import { testClock } from "./clock.ts";
import { registry } from "./definitions.ts";
import { fileWorld } from "./file-works.ts";
import { placedCatalog, placedFaults, placedThreads } from "./places.ts";

const { ThreadObject, fetch } = compose(registry, [], (world, state) => ({
  ...world,
  faults: placedFaults(state, world.faults),
  catalog: placedCatalog(state, world.catalog),
  threads: placedThreads(state, world.threads),
  clock: testClock,
  files: { ...world.files, ...fileWorld },
}));

export { BareObject, ThreadObject };

export default { fetch } satisfies ExportedHandler<Environment>;
