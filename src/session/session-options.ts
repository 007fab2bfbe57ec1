// What a session is run with: its model, where keys come from, how long it may go on.

import { refuse } from "#contract/error.ts";
import { limitsSchema } from "#contract/run.ts";
import type { Limits } from "#contract/run.ts";
import { keyVariable } from "#models/provider-settings.ts";
import { unavailableProvider } from "#models/provider/providers.ts";
import { readiness } from "#models/readiness.ts";
import type { AnyModelDefinition, ReasoningConfig } from "#spec/index.ts";

/** What may differ from one execution to the next. */
export interface ExecuteOptions {
  /** The model that answers: a definition of `defineModel`, or the name of one among `models`. */
  model?: AnyModelDefinition | string;
  /** Sampling temperature; wins over the model's. */
  temperature?: number;
  /** Longest answer in tokens; wins over the model's. */
  maxTokens?: number;
  /** How a reasoning model thinks; one word is its `effort`. */
  reasoning?: ReasoningConfig | NonNullable<ReasoningConfig["effort"]>;
  /**
   * What one execution may use, the part before it rested for remote tools included, the rest itself not. At most 250 steps
   * where `steps` is left out; null lifts that. An execution that reaches a limit is `completed`; at its limit of time
   * (`duration_ms`) what was said by then is kept as an aborted message.
   */
  limits?: Limits;
  /** Cuts the execution: what was said by then is kept as an aborted message, and calls that run are answered as stopped. */
  signal?: AbortSignal;
}

/** Options of a session (agent API rework plan, `PromptOptions`); each execution may name its own in their place. */
export interface SessionOptions extends ExecuteOptions {
  model: AnyModelDefinition | string;
  /** Definitions that `model` and the `fallbacks` of a model name. */
  models?: readonly AnyModelDefinition[];
  /** Key for the provider of `model`, in place of the one in `env`. */
  apiKey?: string;
  /**
   * Where keys and addresses of providers are looked for: `OPENAI_API_KEY`, `OPENAI_BASE_URL` and the like. Default
   * `process.env` where there is one.
   */
  env?: Readonly<Record<string, unknown>>;
  /** Carries the requests to providers. Default the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /**
   * Milliseconds a call of a local tool may take before its result is an error for the model. Default 120,000; `Infinity`
   * sets no limit. A negative value or NaN is refused.
   */
  toolTimeoutMs?: number;
}

/** Options that can be worked with: the model looked up, its fallbacks known. */
export interface ReadOptions extends Omit<SessionOptions, "model" | "models" | "reasoning"> {
  model: AnyModelDefinition;
  /** By name; the model is among them. */
  models: ReadonlyMap<string, AnyModelDefinition>;
  reasoning?: ReasoningConfig;
}

/** What a session, and perhaps one execution of it, is run with. Throws `model_not_found` or `invalid_request`. */
export function readOptions(session: SessionOptions | undefined, own: ExecuteOptions = {}): ReadOptions {
  const signals = [session?.signal, own.signal].filter((signal) => signal !== undefined);
  const { model, models: given = [], reasoning, limits, ...others } = { ...session, ...withoutGaps(own) };
  if (model === undefined) {
    throw refuse(
      "invalid_request",
      "A session needs a model: createSession(id, context, { model: defineModel({ … }) }).",
    );
  }
  const models = namedModels(given, model);
  const named = typeof model === "string" ? model : model.name;
  const found = models.get(named);
  if (found === undefined) throw unknownModel(named, models);
  for (const one of [found, ...(found.fallbacks ?? []).flatMap((name) => models.get(name) ?? [])]) demandProvider(one);
  for (const name of found.fallbacks ?? []) if (!models.has(name)) throw unknownModel(name, models);
  demandTime(others.toolTimeoutMs);
  return {
    ...others,
    model: found,
    models,
    ...(reasoning === undefined
      ? {}
      : { reasoning: typeof reasoning === "string" ? { effort: reasoning } : reasoning }),
    ...(limits === undefined ? {} : { limits: readLimits(limits) }),
    ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
  };
}

/** What is given as undefined is not given. */
function withoutGaps(options: ExecuteOptions): ExecuteOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function namedModels(
  given: readonly AnyModelDefinition[],
  model: AnyModelDefinition | string,
): Map<string, AnyModelDefinition> {
  const models = new Map<string, AnyModelDefinition>();
  for (const one of typeof model === "string" ? given : [...given, model]) {
    const known = models.get(one.name) ?? one;
    if (known !== one) throw refuse("invalid_request", `Two models are named "${one.name}".`);
    models.set(one.name, one);
  }
  return models;
}

function unknownModel(name: string, models: ReadonlyMap<string, unknown>) {
  const known = [...models.keys()].join(", ") || "none";
  return refuse("model_not_found", `There is no model named "${name}" among the session's models: ${known}.`);
}

/** Refuses a provider that is not available. For a session this happens here, because no build checks its definitions. */
function demandProvider({ name, provider }: AnyModelDefinition): void {
  const problem = unavailableProvider(provider);
  if (problem !== undefined) throw refuse("invalid_request", `Model "${name}": ${problem}.`);
}

function demandTime(ms: unknown): void {
  if (ms === undefined || (typeof ms === "number" && ms >= 0)) return;
  const given = typeof ms === "number" ? String(ms) : `a value of type ${typeof ms}`;
  throw refuse("invalid_request", `toolTimeoutMs is a number of milliseconds from 0, or Infinity; this is ${given}.`);
}

function readLimits(limits: unknown): Limits {
  const parsed = limitsSchema.safeParse(limits);
  if (parsed.data?.on_limit === "rest") {
    throw refuse(
      "invalid_request",
      'An execution in process ends at its limits: nobody could raise one. Leave out "on_limit".',
    );
  }
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "limits"}: ${message}`);
  throw refuse("invalid_request", `The limits do not fit. ${problems.join("; ")}`);
}

/** Throws `invalid_request` where the model's key is not there: nobody has to ask a provider to hear that. */
export function demandKey(options: ReadOptions): void {
  const { missing } = readiness(options.model, environmentOf(options));
  if (missing === null) return;
  throw refuse(
    "invalid_request",
    `Model "${options.model.name}" needs a key: set ${missing} in the environment, or give options.apiKey or options.env.`,
  );
}

/** The variables that keys are looked for in. */
export function environmentOf({ env, apiKey, model: { provider } }: ReadOptions): Record<string, unknown> {
  const { process } = globalThis as { process?: { env?: Record<string, unknown> } };
  const variables = env ?? process?.env ?? {};
  const variable = keyVariable(provider);
  return apiKey === undefined || variable === null ? { ...variables } : { ...variables, [variable]: apiKey };
}
