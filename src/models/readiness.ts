// Determines whether a model can be called with the variables that are set. The definitions routes and the errors of model requests use it.
// All texts about missing settings are in this file.

import type { ModelFailure } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { definitionNote, type FileOf } from "./definition-note.ts";
import { fitsHeader } from "./fits-header.ts";
import { accountVariable, gatewayTokenVariable, insteadOfAccount } from "./gateway.ts";
import {
  bindingOf,
  cloudProblem,
  credentialVariables,
  keyVariable,
  missingNames,
  placeVariables,
  providerSettings,
} from "./provider-settings.ts";
import type { CallTarget, ProviderSettings } from "./provider/provider-profile.ts";
import { providerOf, refusedField, unavailableProvider } from "./provider/providers.ts";

export { aiBindingName } from "./ai-binding.ts";
export { addressVariables, bindingOf, defaultAddress, keyVariable, missingNames } from "./provider-settings.ts";

/** Whether a model can be called. `missing` is the first of `missingNames`, and null if nothing is missing. */
export interface Readiness {
  ready: boolean;
  missing: string | null;
}

/** Whether a model is ready to be called (contract: models carry `ready` and `missing`). */
export function readiness(model: AnyModelDefinition, env: Record<string, unknown>): Readiness {
  const provider = providerOf(model);
  if (provider === undefined) return { ready: false, missing: null };
  if ("play" in provider) return { ready: provider.isReady(model), missing: null };
  const [missing = null] = missingNames(model, env);
  return { ready: providerSettings(model, env) !== null, missing };
}

/** The file of the project that defines the provider of a model; undefined for a built-in provider. */
export function providerFile(model: AnyModelDefinition): string | undefined {
  const provider = providerOf(model);
  return provider !== undefined && "file" in provider ? provider.file : undefined;
}

/** Whether the answers of a model come from a script, so that no request is sent. */
export function isScripted(model: AnyModelDefinition): boolean {
  const provider = providerOf(model);
  return provider !== undefined && "play" in provider;
}

/** Adds to a failure the file of the project's own provider, and that of the model's definition. */
export function withFiles(failure: ModelFailure, model: AnyModelDefinition, fileOf?: FileOf): ModelFailure {
  if (failure.kind === "aborted") return failure;
  const own = providerFile(model);
  const ofProvider = own === undefined ? "" : ` (provider "${model.provider}" of ${own})`;
  return { ...failure, message: `${failure.message}${ofProvider}${definitionNote(model, fileOf)}` };
}

/** Returns a sentence for the user about a failure; null for none. */
export type Hint = (failure: ModelFailure, target: CallTarget) => string | null | Promise<string | null>;

/** Adds the explanation of the provider to a failure, else the general hint. */
export async function withHint(failure: ModelFailure, target?: CallTarget, generalHint?: Hint): Promise<ModelFailure> {
  if (target === undefined || failure.kind === "aborted") return failure;
  const hint = (await target.to.profile.explain?.(failure, target)) ?? (await generalHint?.(failure, target)) ?? null;
  if (hint === null) return failure;
  const { message } = failure;
  return { ...failure, message: `${message}${/[.!?)]$/.test(message) ? "" : "."} ${hint}` };
}

/** Adds to a failure the variables that a refused key, or refused credentials, are read from. */
export function withKeyHint(
  failure: ModelFailure,
  model: AnyModelDefinition,
  { tokens, credentials, env }: Partial<ProviderSettings> = {},
): ModelFailure {
  const place = placeVariables(model);
  const names = Object.keys(credentials ?? {}).filter((name) => !place.includes(name));
  const variable = credentials === undefined ? keyVariable(model, env) : names.join(", ");
  const { gateway } = model;
  const token =
    gateway === undefined || bindingOf(model) !== null ? null : (gateway.tokenVariable ?? gatewayTokenVariable);
  const read = [
    ...(tokens === undefined
      ? variable === null
        ? []
        : [`The key is read from ${variable}.`]
      : [`The access token is created from ${Object.keys(tokens.credentials).join(", ")}.`]),
    ...(token === null ? [] : [`The token of the gateway is read from ${token}.`]),
  ];
  return failure.kind !== "auth" || read.length === 0
    ? failure
    : { ...failure, message: `${failure.message} (${read.join(" ")})` };
}

/** Why a key or a credential cannot be sent: it was copied with a line break, for example. Null for one that can be sent. */
export function unusableKey(
  model: AnyModelDefinition,
  { apiKey, credentials = {}, env }: Pick<ProviderSettings, "apiKey" | "credentials" | "env">,
): string | null {
  // A provider of the project may use its variables in another way than as a header.
  if (providerFile(model) !== undefined) return null;
  const values = { ...credentials, [keyVariable(model, env) ?? "the key"]: apiKey };
  const name = Object.keys(values).find((key) => !fitsHeader(values[key] ?? ""));
  if (name === undefined) return null;
  return `Model "${model.name}": the value of ${name} has a line break or another character that no key has. Set it again.`;
}

/** What a model of Workers AI needs, and the lines that add it. */
const missingBinding =
  'needs the binding AI of Workers AI, which the Worker does not have. Add it to the wrangler configuration: [ai] with binding = "AI" in ' +
  'wrangler.toml, or "ai": { "binding": "AI" } in wrangler.jsonc. It needs no key.';

/** Why a model that is not ready cannot be called, and what to do. */
export function notReadyMessage(model: AnyModelDefinition, env: Record<string, unknown> = {}): string {
  const problem = refusedField(model)?.reason ?? unavailableProvider(model);
  if (problem !== undefined) return `Model "${model.name}": ${problem}.`;
  const binding = bindingOf(model);
  if (binding !== null) return `Model "${model.name}" ${missingBinding}`;
  const ofCloud = cloudProblem(model, env);
  if (ofCloud?.reason !== undefined)
    return `Model "${model.name}": the variable ${ofCloud.variable} ${ofCloud.reason}.`;
  const missing = missingNames(model, env);
  const names = joined(missing);
  if (names === "") return `Model "${model.name}": provider "${model.provider}" sends no requests.`;
  const key = keyVariable(model);
  const groups = key !== null && missing.includes(key) ? credentialVariables(model) : [];
  const others = groups.map((group) => `. ${joined(group)} can be set in place of ${key ?? ""}`).join("");
  // Parts of an address are no secrets.
  const isSetting = (name: string): boolean => placeVariables(model).includes(name);
  const settings = missing.filter(isSetting);
  const puts = missing.filter((name) => !isSetting(name)).map((name) => `npx wrangler secret put ${name}`);
  const deployed = [
    ...(puts.length === 0 ? [] : [`run: ${joined(puts)}`]),
    ...(settings.length === 0 ? [] : [`add ${joined(settings)} to [vars] of the wrangler configuration`]),
  ];
  return (
    `Model "${model.name}" needs ${names}, which ${missing.length === 1 ? "is" : "are"} not set. For local development put ` +
    `${joined(missing.map((name) => `${name}=…`))} into .dev.vars; for a deployment ${deployed.join(", and ")}${others}` +
    (missing.includes(accountVariable) ? `. ${insteadOfAccount}` : "")
  );
}

/** Names as a part of a sentence: `A`, `A and B`, `A, B and C`. */
export function joined(names: readonly string[]): string {
  return new Intl.ListFormat("en-GB").format(names);
}
