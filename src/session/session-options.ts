// The options of a session: its model, the keys of providers, and its limits.

import { refuse } from "#contract/error.ts";
import { limitsSchema } from "#contract/run.ts";
import type { Limits } from "#contract/run.ts";
import { anySignal } from "#lib/any-signal.ts";
import { keyVariable } from "#models/provider-settings.ts";
import { addClouds } from "#models/provider/clouds.ts";
import { ignoredField } from "#models/provider/ignored-field.ts";
import { refusedField, unavailableProvider } from "#models/provider/providers.ts";
import { bindingOf, missingNames, notReadyMessage } from "#models/readiness.ts";
import type { AnyModelDefinition, ReasoningConfig } from "#spec/index.ts";

addClouds();

/** Options that may differ between executions. */
export interface ExecuteOptions {
  /** The model that answers: a definition made by `defineModel`, or the name of one of `models`. */
  model?: AnyModelDefinition | string;
  /** Sampling temperature; takes precedence over the model's. */
  temperature?: number;
  /** Longest answer in tokens; takes precedence over the model's. */
  maxTokens?: number;
  /** Options of a reasoning model. A string sets `effort`. */
  reasoning?: ReasoningConfig | NonNullable<ReasoningConfig["effort"]>;
  /**
   * Limits of one execution, including the part before it waited for remote tools, but not the wait. The default of `steps` is 250; null
   * removes that limit. An execution that reaches a limit is `completed`. At its limit of time (`duration_ms`) the text so far is kept as
   * an aborted message.
   */
  limits?: Limits;
  /** Aborts the execution: the text so far is kept as an aborted message, and running calls are answered as stopped. */
  signal?: AbortSignal;
}

/** Options of a session (agent API rework plan, `PromptOptions`). Each execution may replace some of them. */
export interface SessionOptions extends ExecuteOptions {
  model: AnyModelDefinition | string;
  /** The definitions that `model` and the `fallbacks` of a model refer to by name. */
  models?: readonly AnyModelDefinition[];
  /** The key for the provider of `model`, which replaces the one in `env`. */
  apiKey?: string;
  /**
   * The variables with the keys and addresses of providers: `OPENAI_API_KEY`, `OPENAI_BASE_URL` and the like. Default: `process.env` if
   * it exists.
   */
  env?: Readonly<Record<string, unknown>>;
  /** Sends the requests to providers. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /**
   * Milliseconds that a call of a local tool may take before its result becomes an error. Default 120,000; `Infinity` sets no limit. A
   * negative value or NaN is refused.
   */
  toolTimeoutMs?: number;
}

/** The checked options: the model and its fallbacks are definitions. */
export interface CheckedOptions extends Omit<SessionOptions, "model" | "models" | "reasoning"> {
  model: AnyModelDefinition;
  /** The definitions by name, including `model`. */
  models: ReadonlyMap<string, AnyModelDefinition>;
  reasoning?: ReasoningConfig;
}

/** Reads the options of a session, and of one execution. Throws `model_not_found` or `invalid_request`. */
export function readOptions(session: SessionOptions | undefined, own: ExecuteOptions = {}): CheckedOptions {
  const signals = [session?.signal, own.signal].filter((signal) => signal !== undefined);
  const { model, models: given = [], reasoning, limits, ...others } = { ...session, ...withoutUndefined(own) };
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
  for (const one of [found, ...(found.fallbacks ?? []).flatMap((name) => models.get(name) ?? [])]) assertProvider(one);
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
    ...(signals.length === 0 ? {} : { signal: anySignal(signals) }),
  };
}

/** The options without those that are undefined. */
function withoutUndefined(options: ExecuteOptions): ExecuteOptions {
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
function assertProvider(model: AnyModelDefinition): void {
  const problem = unavailableProvider(model) ?? refusedField(model)?.reason ?? ignoredField(model)?.reason;
  if (problem !== undefined) throw refuse("invalid_request", `Model "${model.name}": ${problem}.`);
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
      'An execution in process ends at its limits: there is no way to raise one later. Leave out "on_limit".',
    );
  }
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "limits"}: ${message}`);
  throw refuse("invalid_request", `The limits do not fit. ${problems.join("; ")}`);
}

/** What a session does in place of a binding, which only a Worker has. */
const inProcess =
  " In a Worker, give the session options.env with it. Any other process has no bindings: use the provider openai-compatible, as " +
  "docs/guide/models.md shows for Workers AI.";

/** Throws `invalid_request` if the model's key is missing, before a request is sent. */
export function assertKey(options: CheckedOptions): void {
  const [missing, ...others] = missingNames(options.model, environmentOf(options));
  if (missing === undefined) return;
  if (bindingOf(options.model) !== null) throw refuse("invalid_request", notReadyMessage(options.model) + inProcess);
  if (others.length > 0 || missing !== keyVariable(options.model))
    throw refuse("invalid_request", notReadyMessage(options.model, environmentOf(options)));
  throw refuse(
    "invalid_request",
    `Model "${options.model.name}" needs a key: set ${missing} in the environment, or give options.apiKey or options.env.`,
  );
}

/** The variables in which keys are looked up. */
export function environmentOf({ env, apiKey, model }: CheckedOptions): Record<string, unknown> {
  const { process } = globalThis as { process?: { env?: Record<string, unknown> } };
  const variables = env ?? process?.env ?? {};
  const variable = keyVariable(model);
  return apiKey === undefined || variable === null ? { ...variables } : { ...variables, [variable]: apiKey };
}
