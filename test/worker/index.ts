// The Worker that the tests run in: the real one, with definitions made for tests.

import { env } from "cloudflare:workers";

import { secretsOf } from "#lib/deployment-secrets.ts";
import { loadModelPort } from "#models/load-model-port.ts";
import { createD1Catalog } from "#store/catalog/d1-catalog.ts";
import type { Environment } from "#worker/bindings.ts";
import { compose } from "#worker/compose.ts";

import { BareObject } from "./bare-object.ts";
import { chance } from "./chance.ts";
import { clockOf } from "./clock.ts";
import { registry } from "./definitions.ts";
import { plannedFaults } from "./fault-plan.ts";
import { fileSettings } from "./file-works.ts";
import { hanging, hangingDatabase } from "./hanging-database.ts";
import { allowance } from "./limited.ts";
import { madeObjects } from "./made-objects.ts";
import { meteredDatabase } from "./metered-catalog.ts";
import { reaching } from "./outbound-world.ts";
import { placedCatalog, placedFaults, placedFeeds, placedThreads } from "./places.ts";
import { traced } from "./traced.ts";
import { changedVariables } from "./variables.ts";
import { testWebhook } from "./webhook.ts";

const catalog = createD1Catalog(hangingDatabase(meteredDatabase(env.CATALOG)), {
  ensureSchema: true,
  timers: hanging.timers,
});

const { ThreadObject, ThreadFeed, fetch } = compose(registry, {}, (dependencies, state) => {
  madeObjects.count += 1;
  return {
    ...dependencies,
    faults: placedFaults(state, plannedFaults(state)),
    catalog: placedCatalog(state, catalog),
    threads: placedThreads(state, dependencies.threads),
    feeds: placedFeeds(state, dependencies.feeds),
    outbound: reaching(dependencies.outbound),
    // The number of events of an answer does not depend on time.
    models: loadModelPort({
      ...dependencies.connection,
      secrets: secretsOf({ ...env }, registry.secrets),
      fileOf: (name) => registry.files?.models?.[name],
    }),
    connection: {
      ...dependencies.connection,
      get env() {
        return { ...dependencies.connection.env, ...changedVariables };
      },
    },
    clock: clockOf(state.id.name ?? ""),
    random: () => chance.next,
    settings: { ...dependencies.settings, limits: allowance.current },
    files: { ...dependencies.files, ...fileSettings },
    traces: traced(),
    webhook: testWebhook(),
  };
});

export { BareObject, ThreadFeed, ThreadObject };

export default { fetch } satisfies ExportedHandler<Environment>;
