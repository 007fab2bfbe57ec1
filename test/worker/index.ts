// The Worker that the pool's tests run in: the real one, over definitions made for tests.

import { compose } from "#compose.ts";
import type { Environment } from "#environment.ts";

import { BareObject } from "./bare-object.ts";
import { testClock } from "./clock.ts";
import { registry } from "./definitions.ts";
import { fileWorld } from "./file-works.ts";

const { ThreadObject, fetch } = compose(registry, [], (world) => ({
  ...world,
  clock: testClock,
  files: { ...world.files, ...fileWorld },
}));

export { BareObject, ThreadObject };

export default { fetch } satisfies ExportedHandler<Environment>;
