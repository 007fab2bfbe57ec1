// The Worker that tests run in: the project's own definitions on the real objects, composed with scripted models. Production cannot reach
// this module: `threadhold/worker` does not import it, and no variable or header selects it.

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";

import type { Resolver } from "#core/ports/resolver.ts";
import { createRequestQueue } from "#lib/bounded-fetch.ts";
import { createLog } from "#lib/log-port.ts";
import { systemClock } from "#lib/system-clock.ts";
import type { Registry } from "#spec/index.ts";
import { ensureCatalogSchema } from "#store/catalog/d1-schema.ts";
import type { Environment } from "#worker/bindings.ts";
import { compose } from "#worker/compose.ts";
import type { DurableObjectClass, Threadhold } from "#worker/index.ts";
import { outboundFetch } from "#worker/outbound.ts";

import { configureNetwork, inThread, redactWith, refusingFetch } from "./network.ts";
import type { AllowedNetwork } from "./network.ts";
import { scriptOf, shareScript } from "./script.ts";
import { scriptedModels } from "./scripted-models.ts";
import { testSources } from "./test-sources.ts";
import { checkUnusedAtEndOfFile } from "./unused-answers.ts";

/** Variables that are replaced or removed: those of authentication, because `authenticate` below identifies callers, and a rate limit. */
const replaced = { OPEN_LOOPBACK: "true", LIMIT_ADMISSIONS_PER_MINUTE: "1000000" };
const removed = ["API_TOKENS", "JWT_SECRET", "JWKS_URL", "JWT_ISSUER", "JWT_AUDIENCE"];

/** What the plugin writes into the generated module. */
interface TestWorkerOptions {
  /** The hosts that tests may send requests to, or true for all. */
  network?: AllowedNetwork;
}

/** The API of the tested deployment. */
type Api = (url: string, init: RequestInit) => Promise<Response>;

let current: Api | null = null;

/** The API for the tests of this isolate. */
export function testApi(): Api {
  if (current !== null) return current;
  throw new Error(
    "The test Worker is not loaded. Add the plugin to the project of this test: plugins: [threadhold()], from threadhold/testing/vite.",
  );
}

/**
 * Builds the classes of the test Worker, for the module that the plugin generates, which is the setup of each test file. A bearer token is
 * the id of a user. @internal
 */
export async function createTestWorker(
  registry: Registry,
  { network = false }: TestWorkerOptions = {},
): Promise<Pick<Threadhold, "ThreadObject" | "ThreadFeed">> {
  checkUnusedAtEndOfFile();
  configureNetwork(network);
  const { CATALOG } = env as unknown as Partial<Environment>;
  // The project's own routes read the catalog, also before the first thread.
  if (CATALOG !== undefined) await ensureCatalogSchema(CATALOG);
  const authenticate = (request: Request) => {
    const user = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    return user === undefined ? null : { user, role: "user" as const };
  };
  const { ThreadObject, ThreadFeed, fetch } = compose(
    testRegistry(registry),
    { authenticate },
    (dependencies, state) => {
      const id = state.id.name ?? "";
      const { connection, log, settings } = dependencies;
      redactWith(settings.redact);
      const sent = (url: string, init: RequestInit) => inThread(id, () => globalThis.fetch(url, init));
      const transport = { fetch: sent, inTurn: createRequestQueue(maxOpenRequests), clock: systemClock };
      const guarded = outboundFetch(connection.env, transport, { log, resolver: publicNames });
      return {
        ...dependencies,
        models: scriptedModels(id),
        outbound: refusingFetch(guarded, () => scriptOf(id)),
        // Neither spans nor notifications leave a test.
        traces: null,
        webhook: null,
        connection: {
          ...dependencies.connection,
          // Read at each use, because a thread exists before its test gives it a script.
          get env() {
            return { ...dependencies.connection.env, ...scriptOf(id)?.env };
          },
        },
        threads: (called) => {
          shareScript(id, called);
          return dependencies.threads(called);
        },
        // An object that is restarted must not be writing to the console, because the test runner would wait for that line.
        log: createLog((line, level) => {
          if (level === "error") scriptOf(id)?.log.push(line);
        }),
      };
    },
  );
  current = async (url, init) => {
    const response = await fetch(new Request(url, init), testEnvironment(), createExecutionContext());
    return init.signal == null ? response : endWith(response, init.signal);
  };
  return { ThreadObject: inContext(ThreadObject), ThreadFeed };
}

const maxOpenRequests = 5;

/** Tests look up no host names. Addresses in private networks are refused as in a deployment. */
const publicNames: Resolver = { resolve: () => Promise.resolve({ ok: true, addresses: ["1.1.1.1"] }) };

/** The class whose methods, and all work that they start, run in the context of their thread. */
function inContext(ThreadObject: DurableObjectClass): DurableObjectClass {
  const bound = class extends ThreadObject {};
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(ThreadObject.prototype))) {
    const method: unknown = descriptor.value;
    if (name === "constructor" || typeof method !== "function") continue;
    const value = function (this: { ctx: DurableObjectState }, ...input: unknown[]): unknown {
      return inThread(this.ctx.id.name ?? "", () => Reflect.apply(method, this, input) as unknown);
    };
    Object.defineProperty(bound.prototype, name, { ...descriptor, value });
  }
  return bound;
}

/** The response whose body ends when the signal is aborted, as that of a request over the network does. */
function endWith(response: Response, signal: AbortSignal): Response {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  if (reader === undefined) return response;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      signal.addEventListener("abort", () => {
        controller.error(signal.reason);
        // The stream has failed already, so a failure of its source is ignored.
        reader.cancel().catch(() => undefined);
      });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (signal.aborted) return;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}

let environment: Environment | null = null;

function testEnvironment(): Environment {
  for (const name of ["THREADS", "FEEDS", "CATALOG"])
    if (!(name in env))
      throw new Error(`The wrangler configuration has no binding ${name}; \`npx threadhold doctor\` shows the fix.`);
  environment ??= {
    ...Object.fromEntries(Object.entries(env as unknown as Environment).filter(([name]) => !removed.includes(name))),
    ...replaced,
    TICKET_SECRET: crypto.randomUUID(),
  } as unknown as Environment;
  return environment;
}

/** The same definitions, with sources for tests, and with retries of models that follow at once. */
function testRegistry(registry: Registry): Registry {
  const models = Object.entries(registry.models).map(([name, load]) => {
    const loadQuick: typeof load = async () => {
      const model = await load();
      return { ...model, retry: { ...model.retry, initialDelayMs: 1, maxDelayMs: 1 } };
    };
    return [name, loadQuick] as const;
  });
  return { ...registry, models: Object.fromEntries(models), toolSources: testSources(registry.toolSources) };
}
