// Builds a deployment from a registry. Tests call it with their own registry and get the same Worker.

import { refuse } from "#contract/error.ts";
import { noFaults } from "#core/ports/faults.ts";
import { feedName } from "#core/rpc/feed-rpc.ts";
import type { FeedStub } from "#core/rpc/feed-rpc.ts";
import type { ThreadPeer } from "#core/rpc/thread-peer.ts";
import type { ThreadStub } from "#core/rpc/thread-rpc.ts";
import { dialects } from "#dialect/dialects.ts";
import { threadFeed } from "#feed/thread-feed.ts";
import { readSourceState } from "#flow/tool-source/source-state.ts";
import { createApp } from "#http/app.ts";
import { boundRateLimiter } from "#http/limit/bound-rate-limiter.ts";
import { playgroundVariable, readPlaygroundPath } from "#http/page/playground-path.ts";
import { boundedFetch, createRequestQueue } from "#lib/bounded-fetch.ts";
import { errorMessage } from "#lib/cut-text.ts";
import { secretsOf } from "#lib/deployment-secrets.ts";
import { consoleLog, redactedLog } from "#lib/log-port.ts";
import { systemClock } from "#lib/system-clock.ts";
import { traceSettings } from "#lib/trace-settings.ts";
import { webhookSettings } from "#lib/webhook-settings.ts";
import { loadModelPort } from "#models/load-model-port.ts";
import { completeModels, modelFacts } from "#models/model-facts.ts";
import { withOwnProviders } from "#models/own-providers.ts";
import { addClouds } from "#models/provider/clouds.ts";
import { missingNames, readiness } from "#models/readiness.ts";
import { createRedact } from "#models/redact.ts";
import type { Registry } from "#spec/index.ts";
import { createD1Catalog } from "#store/catalog/d1-catalog.ts";
import type { Deployment } from "#thread/deployment.ts";
import { threadObject } from "#thread/thread-object.ts";

import type { Environment, ThreadholdBindings } from "./bindings.ts";
import { byEnvironment } from "./by-environment.ts";
import { deploymentLimits } from "./deployment-limits.ts";
import { fileSettings } from "./environment.ts";
import { mountAt, readPrefix } from "./mount.ts";
import { authorizationsOf } from "./object-authorizations.ts";
import { outboundFetch } from "./outbound.ts";
import type { ThreadholdOptions } from "./threadhold-options.ts";

addClouds();

/** The version that `healthz` and every run show if the platform does not name one. */
const localVersion = "local";

/** How many requests of an object may wait for response headers: one less than the platform's limit. */
const maxOpenRequests = 5;

/** The Worker's fetch handler and the classes of its objects. With `adjust`, tests replace parts of the deployment. */
export function compose(
  given: Registry,
  options: ThreadholdOptions,
  adjust: (deployment: Deployment, state: DurableObjectState) => Deployment = (deployment) => deployment,
) {
  const registry = withOwnProviders(given);
  const prefix = readPrefix(options.prefix ?? "");
  const { playground: chosen } = options;
  // Throws for a path that is invalid.
  if (chosen !== undefined) readPlaygroundPath(chosen, prefix);
  const ThreadObject = threadObject<ThreadholdBindings>((env, state) =>
    adjust(deploymentOf(named(env), registry), state),
  );
  const ThreadFeed = threadFeed<ThreadholdBindings>((env) => ({
    clock: systemClock,
    threads: (id) => threadOf(named(env), id),
    feeds: (owner) => feedOf(named(env), owner),
  }));
  const appOf = byEnvironment(createAppOf, reportManyEnvironments);

  function createAppOf(env: Environment) {
    deploymentLimits(env, reportInvalidLimit);
    traceSettings(env, reportInvalidTraces);
    webhookSettings(env, { isLocal: isLocal(env), onInvalid: reportInvalidWebhook });
    const { diagnostics = [], authenticate } = options;
    const objects = {
      threads: (id: string) => threadOf(env, id),
      feeds: (owner: string | null) => feedOf(env, owner),
    };
    return createApp({
      registry,
      diagnostics,
      ...objects,
      objects: (objectId) => env.THREADS.get(objectIdOf(env, objectId)) as unknown as ThreadStub,
      catalog: catalogOf(env),
      log: redactedLog(consoleLog, createRedact(secretsOf(env, registry.secrets))),
      readiness: (model) => ({ ...readiness(model, { ...env }), missing: missingNames(model, { ...env }) }),
      modelFacts: (model) => modelFacts(model, { ...env }, registry.catalogue),
      testModel: async (model, asked) => {
        const { testModel } = await import("./route-trials.ts");
        return testModel(model, asked, { registry, env: { ...env } });
      },
      searchCatalogue: async (query) => {
        const { searchCatalogue } = await import("#models/catalogue-search.ts");
        return searchCatalogue(query);
      },
      sourceState: (entry, definition, userId) => {
        return readSourceState(entry, definition, {
          fetch: outboundOf(env, createRequestQueue(maxOpenRequests)),
          clock: systemClock,
          env: { ...env },
          log: consoleLog,
          userId,
          authorizations: userId === null ? undefined : authorizationsOf({ user: userId }, objects),
          hash: registry.hash,
        });
      },
      authorizations: async () => {
        const { serverAuthorizations } = await import("./route-authorizations.ts");
        const fetch = () => outboundOf(env, createRequestQueue(maxOpenRequests));
        return serverAuthorizations(registry, { ...objects, env: { ...env }, fetch });
      },
      variables: env,
      authenticate: authenticate && ((request) => authenticate(request, env)),
      prefix,
      playground: chosen === undefined ? playgroundOf(env, prefix) : readPlaygroundPath(chosen, prefix),
      version: versionOf(env),
      dialects,
      assets: assetsOf(env),
      admissions: admissionLimiterOf(env),
      now: () => systemClock.now(),
    });
  }

  return {
    ThreadObject,
    ThreadFeed,
    fetch: mountAt<ThreadholdBindings>(prefix, {
      fetch: (request, env, context) => appOf(named(env)).fetch(request, named(env), context),
      fetchPage: (request, env) => appOf(named(env)).fetchPage(request),
    }),
  };
}

/** The same object, typed so that variables can be read by any name: definitions and providers name variables too. */
function named(env: ThreadholdBindings): Environment {
  return env as Environment;
}

/** Milliseconds for which a thread joins the deltas of a model: about the time between two frames of a page. */
const joinMs = 30;

function deploymentOf(env: Environment, registry: Registry): Deployment {
  const inTurn = createRequestQueue(maxOpenRequests);
  const traced = traceSettings(env);
  const connection = { env: Object.freeze({ ...env }), fetch: boundedFetch(inTurn, (...call) => fetch(...call)) };
  const secrets = secretsOf(env, registry.secrets);
  const redact = createRedact(secrets);
  return {
    registry: { ...registry, models: completeModels(registry, connection.env) },
    models: loadModelPort({ ...connection, secrets, joinMs, fileOf: (name) => ownOf(registry.files?.models, name) }),
    connection,
    outbound: outboundOf(env, inTurn),
    catalog: catalogOf(env),
    clock: systemClock,
    random: () => Math.random(),
    faults: noFaults,
    log: redactedLog(consoleLog, redact),
    files: fileSettings(env),
    threads: (id) => env.THREADS.get(env.THREADS.idFromName(id)) as unknown as ThreadPeer,
    feeds: (owner) => feedOf(env, owner),
    settings: {
      limits: deploymentLimits(env),
      version: versionOf(env),
      redact,
      logToolCalls: env.LOG_TOOL_CALLS === "true",
    },
    // Outside of the queue for a run's requests, so that a collector that does not answer delays no run.
    webhook: webhookSettings(env, { isLocal: isLocal(env) }),
    traces: traced === null ? null : { settings: traced, fetch: (...call) => fetch(...call) },
  };
}

/** The text of an entry; undefined if there is none. */
function ownOf(entries: Readonly<Record<string, string>> = {}, name: string): string | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** The guarded fetch of one object, or of one request. */
function outboundOf(env: Environment, inTurn: ReturnType<typeof createRequestQueue>) {
  return outboundFetch(env, { fetch: (...call) => fetch(...call), inTurn, clock: systemClock });
}

/** Logs, once per isolate, the variable of a limit that has an invalid value. */
function reportInvalidLimit(variable: string): void {
  const effect = variable === "STEP_CEILING" ? "The default applies" : "Nothing is allowed";
  const message = `The value has to be a positive number, and a whole one except for USD. ${effect} until it is corrected.`;
  consoleLog("error", "bad_configuration", { variable, message });
}

/** Logs, once per isolate, the variable of the export of traces that has an invalid value. */
function reportInvalidTraces(variable: string): void {
  const message = "The value is invalid or not supported, so no traces are exported; see docs/guide/tracing.md.";
  consoleLog("error", "bad_configuration", { variable, message });
}

/** Logs, once per isolate, the variable of the webhook that has an invalid value. */
function reportInvalidWebhook(variable: string, valid: string): void {
  const message = `The webhook for threads that wait is not sent: the value has to be ${valid}.`;
  consoleLog("error", "bad_configuration", { variable, message });
}

/** Logs, once per isolate, that limits which are counted in memory do not hold. */
function reportManyEnvironments(): void {
  const message =
    "The Worker passes an `env` with other entries at each request, so limits of users and the delay after wrong credentials, which are " +
    "counted in memory, do not hold. Pass the `env` of the handler, or a copy with the same entries.";
  consoleLog("error", "bad_configuration", { variable: "env", message });
}

/** Whether the server runs in the open mode of this machine. */
function isLocal({ OPEN_LOOPBACK }: Environment): boolean {
  return OPEN_LOOPBACK === "true";
}

function threadOf(env: Environment, id: string): ThreadStub {
  return env.THREADS.get(env.THREADS.idFromName(id)) as unknown as ThreadStub;
}

function feedOf(env: Environment, owner: string | null): FeedStub {
  return env.FEEDS.get(env.FEEDS.idFromName(feedName(owner))) as unknown as FeedStub;
}

function objectIdOf(env: Environment, objectId: string): DurableObjectId {
  try {
    return env.THREADS.idFromString(objectId);
  } catch {
    throw refuse("invalid_request", "This is no object of this deployment.");
  }
}

function catalogOf(env: Environment) {
  return createD1Catalog(env.CATALOG, { ensureSchema: isLocal(env) });
}

/**
 * The path of the playground that the variable chooses. Without the variable a Worker whose threads are at its root serves the playground at
 * the root, if its assets are the playground.
 */
function playgroundOf({ PLAYGROUND }: Environment, prefix: string): string | null {
  const choice = playgroundVariable(PLAYGROUND);
  if (choice === undefined) return prefix === "" ? "" : null;
  try {
    return readPlaygroundPath(choice, prefix);
  } catch (error) {
    const message = `${errorMessage(error)} The playground is not served until the variable is corrected.`;
    consoleLog("error", "bad_configuration", { variable: "PLAYGROUND", message });
    return null;
  }
}

function assetsOf({ ASSETS }: Environment) {
  return ASSETS === undefined ? undefined : (request: Request) => ASSETS.fetch(request);
}

/** The period of the binding is 60 s (docs/guide/limits-and-budgets.md). */
function admissionLimiterOf({ ADMISSION_LIMITER }: Environment) {
  return ADMISSION_LIMITER === undefined ? undefined : boundRateLimiter(ADMISSION_LIMITER, 60);
}

function versionOf(env: Environment): string {
  const id = env.VERSION?.id ?? "";
  return id === "" ? localVersion : id;
}
