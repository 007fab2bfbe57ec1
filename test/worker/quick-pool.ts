// Removes four slow steps from the Workers pool of vitest, which take most of a test's time and have no effect on what is tested:
//
// - Each request to an object or to the Worker imports the Worker's main module again, over a request to another object and two
//   messages to the process of the test runner. The module is the same until the Worker ends, so the first import is kept.
// - Each request to an object also asks for its instance that way. The instance is the same while the object lives, so it is kept.
// - Each new instance wraps the prototype of its class in one more proxy (`createProxyPrototypeClass`), and each look at a method
//   passes them all. All of these proxies do the same, so the first one is kept.
// - Each `setTimeout` creates a stack trace to find out whether vitest calls it. For a timer with a delay the pool does not use the result.
//
// Requests are so quick afterwards that they wait for nothing outside: a test that asks an object in a loop without pauses keeps
// the runtime from all input, output and timers. Such tests use `holds` or `vi.waitUntil`.
//
// All but the third are for projects that provide `quickPool`. The golden transcripts count rows that background work reads and writes
// meanwhile, so they keep these steps, which take time.

import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether requests are without the slow steps. */
    quickPool: boolean;
  }
}

interface ModuleRunner {
  import(id: string): Promise<unknown>;
}

interface VitestGlobals {
  __vitest_mocker__: { moduleRunner: ModuleRunner };
  __vitest_worker__: { providedContext: { cloudflarePoolOptions: string } };
}

const { __vitest_mocker__: mocker, __vitest_worker__: worker } = globalThis as unknown as VitestGlobals;

const isQuick = inject("quickPool");

/** Imports the Worker's main module once. */
function keepMainModule(runner: ModuleRunner): void {
  const { main } = JSON.parse(worker.providedContext.cloudflarePoolOptions) as { main: string };
  const load = runner.import.bind(runner);
  let kept: { module: unknown } | null = null;
  runner.import = async (id) => {
    if (id !== main) return load(id);
    // The module is kept and not its promise, which requests must not share.
    kept ??= { module: await load(id) };
    return kept.module;
  };
}

type Ensure = (this: object) => Promise<unknown>;

/** Keeps the instance of each object of a class. */
function keepInstances(prototype: object): void {
  const name = Object.getOwnPropertySymbols(prototype).find(({ description }) => description === "kEnsureInstance");
  if (name === undefined) return;
  const ensure = Reflect.get(prototype, name) as Ensure;
  const instances = new WeakMap<object, unknown>();
  const ensureOnce: Ensure = async function () {
    const known = instances.get(this);
    if (known !== undefined) return known;
    const made = await ensure.call(this);
    instances.set(this, made);
    return made;
  };
  Reflect.set(prototype, name, ensureOnce);
}

const isPrototypeHandler = (handler: ProxyHandler<object>): boolean =>
  String(Reflect.get(handler, "get")).includes("getUnknownPrototypeKey");

/** Wraps the prototype of each class once. */
function keepPrototypes(): void {
  const ofPrototypes = new WeakSet();
  globalThis.Proxy = new Proxy(Proxy, {
    construct(target, [wrapped, handler]: [object, ProxyHandler<object>]): object {
      if (!isPrototypeHandler(handler)) return Reflect.construct(target, [wrapped, handler]) as object;
      if (ofPrototypes.has(wrapped)) return wrapped;
      if (isQuick) keepInstances(wrapped);
      const made = Reflect.construct(target, [wrapped, handler]) as object;
      ofPrototypes.add(made);
      return made;
    },
  });
}

/** Gives timers with a delay to the runtime's own function, as the pool does after it has created a stack trace. */
function setTimersDirectly(): void {
  const pooled = globalThis.setTimeout;
  const { setTimeout: direct } = Object.getPrototypeOf(globalThis) as { setTimeout: typeof setTimeout };
  const set = (...args: [callback: unknown, delay?: number]): unknown =>
    Reflect.apply((args[1] ?? 0) === 0 ? pooled : direct, globalThis, args);
  globalThis.setTimeout = set as typeof setTimeout;
}

// Applied once in each Worker, whose test files run one after the other.
const done = Symbol.for("quick pool");

if (!(done in globalThis)) {
  Object.defineProperty(globalThis, done, { value: true });
  if (isQuick) keepMainModule(mocker.moduleRunner);
  if (isQuick) setTimersDirectly();
  keepPrototypes();
}
