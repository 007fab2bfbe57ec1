// Finds the provider profile, the API key and the address for a model request. Invariant: a key is read from the environment, or passed by
// the process that makes the request, and never from a definition.

import { modelPresets, type AnyModelDefinition, type PresetName } from "#spec/index.ts";

import { aiBindingOf, type aiBindingName } from "./ai-binding.ts";
import { gatewayAccess, gatewayTokenVariable } from "./gateway.ts";
import type { CloudAccess, CloudAddress, Credentials, ReadVariable, VariableProblem } from "./provider/cloud-access.ts";
import type {
  CataloguePlace,
  ProviderProfile,
  ProviderSettings,
  ProviderVariables,
} from "./provider/provider-profile.ts";
import { providerOf, providers, refusedField } from "./provider/providers.ts";

function firstText(env: Record<string, unknown>, names: readonly string[]): string | null {
  for (const name of names) {
    const value = env[name];
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return null;
}

function readerOf(env: Record<string, unknown>): ReadVariable {
  return (name) => firstText(env, [name]);
}

function withPath(address: string, defaultPath: string): string {
  const trimmed = address.replace(/(?<!\/)\/+$/, "");
  return /^https?:\/\/[^/]+$/i.test(trimmed) ? trimmed + defaultPath : trimmed;
}

/** The variables of a model's provider. Null for a provider that is not called over the network. */
function variablesOf(model: AnyModelDefinition): ProviderVariables | null {
  const known = providerOf(model);
  return known === undefined || !("variables" in known) ? null : (known.variablesOf?.(model) ?? known.variables);
}

/** The environment variables with the key of a model, in the order in which they are read; empty for a model without a key. */
function keyVariables(model: AnyModelDefinition): readonly string[] {
  if (model.keyVariable === null) return [];
  return model.keyVariable === undefined ? (variablesOf(model)?.keys ?? []) : [model.keyVariable];
}

/** The binding that sends the requests to a model; null for a model over the network. */
export function bindingOf(model: AnyModelDefinition): typeof aiBindingName | null {
  return variablesOf(model)?.binding ?? null;
}

/**
 * The address of a model's account at a cloud, or the missing variable. Null for a model with an address of its own, and for a provider
 * that has one address for all accounts.
 */
function cloudAddress(model: AnyModelDefinition, env: Record<string, unknown>, apiKey: string | null) {
  const { cloud, baseUrls = [] } = variablesOf(model) ?? {};
  const isKnown = model.gateway === undefined && (model.baseUrl !== undefined || firstText(env, baseUrls) !== null);
  return cloud === undefined || isKnown ? null : cloud.address(readerOf(env), model, apiKey);
}

/** The groups of variables with credentials, which create access tokens or sign requests; none for a definition that names the variable of its key. */
export function credentialVariables(model: AnyModelDefinition): readonly (readonly string[])[] {
  return model.keyVariable === undefined ? (variablesOf(model)?.cloud?.credentials ?? []) : [];
}

/** The credentials of a model's cloud; the missing variable of an incomplete group; null if no variable of a group is set. */
function credentialsOf(model: AnyModelDefinition, env: Record<string, unknown>): Credentials | VariableProblem | null {
  const read = readerOf(env);
  const optional = variablesOf(model)?.cloud?.optional ?? [];
  const others = optional.flatMap((name) => [[name, read(name)] as const]).filter(([, value]) => value !== null);
  let incomplete: VariableProblem | null = null;
  for (const group of credentialVariables(model)) {
    const values = group.flatMap((name) => [[name, read(name)] as const]);
    const missing = values.find(([, value]) => value === null);
    if (missing === undefined) return Object.fromEntries([...values, ...others]) as Credentials;
    if (incomplete === null && values.some(([, value]) => value !== null)) incomplete = { variable: missing[0] };
  }
  return incomplete;
}

/** The variable of a cloud that a model lacks, for its credentials or for its address; null if it lacks none. */
export function cloudProblem(model: AnyModelDefinition, env: Record<string, unknown>): VariableProblem | null {
  const apiKey = firstText(env, keyVariables(model));
  const credentials = apiKey === null ? credentialsOf(model, env) : null;
  if (isProblem(credentials)) return credentials;
  const isKeyMissing = apiKey === null && credentials === null && model.keyVariable !== null;
  const address = isKeyMissing ? null : cloudAddress(model, env, apiKey);
  return isProblem(address) ? address : null;
}

function isProblem(found: CloudAddress | Credentials | VariableProblem | null): found is VariableProblem {
  return found !== null && "variable" in found;
}

/** The AI Gateway of a model, or what it lacks; null for a model without one, or one of the binding. */
function gatewayOf(model: AnyModelDefinition, env: Record<string, unknown>, ofCloud?: string) {
  const { gatewayPath, binding } = variablesOf(model) ?? {};
  if (model.gateway === undefined || gatewayPath === undefined || binding !== undefined) return null;
  return gatewayAccess(model.gateway, ofCloud ?? gatewayPath, env);
}

/** The key of a model in the environment, empty for a model without one; null if it is not set. */
function keyIn(model: AnyModelDefinition, env: Record<string, unknown>): string | null {
  // A definition that names a variable needs it.
  const isKeyless = model.keyVariable === undefined && variablesOf(model)?.keyless === true;
  const needsNone = bindingOf(model) !== null || model.keyVariable === null || isKeyless;
  return firstText(env, keyVariables(model)) ?? (needsNone ? "" : null);
}

/**
 * All variables that a model lacks, or the binding; empty if it lacks none, or its definition cannot be used. Of several variables with the
 * same meaning, the one that users set.
 */
export function missingNames(model: AnyModelDefinition, env: Record<string, unknown>): string[] {
  if (refusedField(model) !== undefined) return [];
  const binding = bindingOf(model);
  if (binding !== null) return aiBindingOf(env) === null ? [binding] : [];
  const own = [...missingAccess(model, env), ...missingRequired(model, env)];
  const access = gatewayOf(model, env);
  return access !== null && "missing" in access ? [...own, ...access.missing] : own;
}

/** The variables that a model lacks for its key or its access tokens, and for the address of its account. */
function missingAccess(model: AnyModelDefinition, env: Record<string, unknown>): string[] {
  const isKeyMissing = keyIn(model, env) === null && credentialsOf(model, env) === null;
  const missing = isKeyMissing ? keyVariables(model).slice(0, 1) : [];
  const given = { ...env, ...Object.fromEntries(missing.map((name) => [name, "set"])) };
  for (;;) {
    const problem = cloudProblem(model, given);
    if (problem === null || problem.reason !== undefined || missing.includes(problem.variable)) return missing;
    missing.push(problem.variable);
    given[problem.variable] = "set";
  }
}

/**
 * The environment variable with the key of a model: the one that is read, else the one that users set; null for a model that needs none.
 */
export function keyVariable(model: AnyModelDefinition, env: Record<string, unknown> = {}): string | null {
  const names = keyVariables(model);
  return names.find((name) => firstText(env, [name]) !== null) ?? names[0] ?? null;
}

/** The variables that requests to a model need in addition to a key; empty for most models. */
function requiredVariables(model: AnyModelDefinition): readonly string[] {
  return variablesOf(model)?.required ?? [];
}

/** Whether a variable has a value: a text that is not blank, or a binding. */
function isSet(value: unknown): boolean {
  return typeof value === "string" ? value.trim() !== "" : value !== undefined && value !== null;
}

/** The variables of its provider that a model lacks, in addition to a key. */
function missingRequired(model: AnyModelDefinition, env: Record<string, unknown>): string[] {
  return requiredVariables(model).filter((name) => !isSet(env[name]));
}

/** The variables with the address of a model, in the order in which they are read; empty for a model that is not called. */
export function addressVariables(model: AnyModelDefinition): readonly string[] {
  return variablesOf(model)?.baseUrls ?? [];
}

/** The variables that determine the address of a model: those with the whole address, and those with a part of it, such as a region. */
export function placeVariables(model: AnyModelDefinition): readonly string[] {
  return [...addressVariables(model), ...(variablesOf(model)?.cloud?.place ?? [])];
}

/** The address of a model's server without variables; null for one that only the package of the provider knows. */
export function defaultAddress(model: AnyModelDefinition): string | null {
  return model.baseUrl ?? variablesOf(model)?.defaultBaseUrl ?? null;
}

/** The hosts of the last addresses. Parsing an address takes longer than most other parts of a request's settings. */
const hosts = new Map<string, string | null>();
const mostHosts = 100;

/** The host of an address; null if the address is not a URL. */
function hostOf(address: string): string | null {
  const known = hosts.get(address);
  if (known !== undefined) return known;
  const host = URL.canParse(address) ? new URL(address).host : null;
  if (hosts.size === mostHosts) hosts.clear();
  hosts.set(address, host);
  return host;
}

/**
 * The address for requests to a model, its host, and the profile of the protocol at this host. With a gateway the host is that of the
 * provider, which reads the requests.
 */
function destinationOf(
  model: AnyModelDefinition,
  known: ProviderProfile,
  { env, account }: { env: Record<string, unknown>; account: string | null },
) {
  const { baseUrls, defaultPath, defaultBaseUrl = null } = known.variablesOf?.(model) ?? known.variables;
  // The address of the definition takes precedence. That of a gateway is known later.
  const ofVariable = model.gateway === undefined ? firstText(env, baseUrls) : null;
  const address = model.baseUrl ?? ofVariable ?? account ?? defaultBaseUrl;
  const baseUrl = address === null ? null : withPath(address, defaultPath);
  const host = baseUrl === null ? null : hostOf(baseUrl);
  return { baseUrl, host, profile: known.atHost?.(model, host) ?? known };
}

/** Where the catalogue has the facts of a model, whether or not its key is set; null if none are known at its address. */
export function cataloguePlace(model: AnyModelDefinition, env: Record<string, unknown>): CataloguePlace | null {
  const known = providerOf(model);
  if (known === undefined || !("variables" in known)) return null;
  const ofCloud = cloudAddress(model, env, firstText(env, keyVariables(model)));
  const account = ofCloud === null || isProblem(ofCloud) ? null : ofCloud.baseUrl;
  const { profile, baseUrl, host } = destinationOf(model, known, { env, account });
  const isInvalid = baseUrl !== null && host === null;
  const place = isInvalid ? null : (profile.catalogueAt?.(model, host) ?? null);
  return place !== null && isOtherApi(place.table, baseUrl) ? { ...place, hasPrices: false } : place;
}

/** Whether an address is of another API than a preset's, with prices of its own, such as a plan for coding agents at another path. */
function isOtherApi(table: string, baseUrl: string | null): boolean {
  if (baseUrl === null || !Object.hasOwn(modelPresets, table)) return false;
  const own = modelPresets[table as PresetName].baseUrl;
  return pathOf(baseUrl) !== pathOf(own);
}

/** The path of an address without its version. */
const pathOf = (address: string): string => new URL(address).pathname.replace(/\/?(?:v\d+\/?)?$/, "");

/** The access to a model in place of the environment's: its API key and its fetch. An absent field is the environment's or the port's. */
export interface ModelAccess {
  apiKey?: string;
  fetch?: typeof globalThis.fetch;
}

/**
 * The settings for requests to a model; null if the key is not set, the definition cannot be used, or the provider is not called over the
 * network.
 */
export function providerSettings(
  model: AnyModelDefinition,
  env: Record<string, unknown>,
  { apiKey: given }: Pick<ModelAccess, "apiKey"> = {},
): ProviderSettings | null {
  const known = providerOf(model);
  if (known === undefined || !("variables" in known) || refusedField(model) !== undefined) return null;
  if (missingRequired(model, env).length > 0) return null;
  const isBound = bindingOf(model) !== null;
  const binding = isBound ? aiBindingOf(env) : null;
  if (isBound && binding === null) return null;
  const apiKey = given ?? keyIn(model, env);
  const credentials = apiKey === null ? credentialsOf(model, env) : null;
  if ((apiKey === null && credentials === null) || isProblem(credentials)) return null;
  const ofCloud = cloudAddress(model, env, apiKey);
  if (isProblem(ofCloud)) return null;
  const account = ofCloud?.baseUrl ?? null;
  const { profile, baseUrl, host } = destinationOf(model, known, { env, account });
  const cloud = variablesOf(model)?.cloud;
  const settings = {
    profile,
    apiKey: apiKey ?? "",
    baseUrl,
    host,
    owner: profile.ownerAt?.(host) ?? profile.name,
    env,
    ...(credentials === null || cloud === undefined ? {} : accessBy(cloud, credentials)),
  };
  if (binding !== null) return { ...settings, binding };
  const access = gatewayOf(model, env, ofCloud?.gatewayPath);
  if (access === null) return settings;
  return "missing" in access ? null : { ...settings, baseUrl: access.baseUrl, gateway: access.settings };
}

/** The credentials, from which tokens are created, or which sign requests. */
function accessBy({ tokenRequest, loadTokens }: CloudAccess, credentials: Credentials): Partial<ProviderSettings> {
  if (tokenRequest === undefined || loadTokens === undefined) return { credentials };
  return { tokens: { tokenRequest, loadTokens, credentials } };
}

/** The values of the variables of a provider of the project's own. */
export function ownSecrets(model: AnyModelDefinition, env: Record<string, unknown>): string[] {
  return requiredVariables(model).flatMap((name) => firstText(env, [name]) ?? []);
}

/** All keys that are set. Each is removed from shown texts, because any provider may repeat it. */
export function knownSecrets(env: Record<string, unknown>): string[] {
  const ofPresets = Object.values(modelPresets).map((preset) => preset.keyVariable);
  const variables = providers.flatMap((provider) => ("variables" in provider ? [provider.variables] : []));
  const read = readerOf(env);
  const ofClouds = variables.flatMap(({ cloud }) => cloud?.secrets(read) ?? []);
  return [...variables.flatMap(({ keys }) => keys), ...ofPresets, gatewayTokenVariable]
    .map(read)
    .filter((value) => value !== null)
    .concat(ofClouds);
}
