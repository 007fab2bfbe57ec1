// AI Gateway of Cloudflare in front of a provider: its address, its headers and the id of its log entry. Invariants: the token of the gateway
// is sent to the gateway alone; the owner of opaque data, the protocol and the limits are those of the provider that answers.

import type { ModelRequest } from "#core/ports/model-port.ts";
import type { ModelGateway } from "#spec/index.ts";

import {
  aiBindingName,
  aiBindingOf,
  askBinding,
  ofWorkersAi,
  type AiBinding,
  type BindingGateway,
} from "./ai-binding.ts";
import type { Exchange } from "./observed-fetch.ts";
import type { ProviderSettings } from "./provider/provider-profile.ts";

const host = "gateway.ai.cloudflare.com";

/** The variable with the account of gateways whose definition has none. */
export const accountVariable = "CLOUDFLARE_ACCOUNT_ID";

/** The variable with the token of authenticated gateways whose definition names none. */
export const gatewayTokenVariable = "CF_AIG_TOKEN";

/** What requests through a gateway need in addition to the provider's settings. */
export interface GatewaySettings {
  options: ModelGateway;
  /** The path of the provider below the gateway: `anthropic/v1`. */
  path: string;
  /** Null for a gateway without authentication. */
  token: string | null;
  /** Returns the address of the gateway. Absent: the settings have it. */
  binding?: AiBinding;
}

/** The settings of a gateway and its address, which is null if only the binding knows it. */
export interface GatewayAccess {
  settings: GatewaySettings;
  baseUrl: string | null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

/** The access to a gateway; otherwise all variables that are missing. */
export function gatewayAccess(
  options: ModelGateway,
  path: string,
  env: Record<string, unknown>,
): GatewayAccess | { missing: string[] } {
  const { tokenVariable } = options;
  const token = textOf(env[tokenVariable ?? gatewayTokenVariable]);
  const account = options.accountId ?? textOf(env[accountVariable]);
  const binding = aiBindingOf(env);
  const missing = [
    ...(tokenVariable !== undefined && token === null ? [tokenVariable] : []),
    ...(account === null && binding === null ? [accountVariable] : []),
  ];
  if (missing.length > 0) return { missing };
  const settings = { options, path, token };
  return account === null && binding !== null
    ? { settings: { ...settings, binding }, baseUrl: null }
    : {
        settings,
        baseUrl: `https://${host}/v1/${encodeURIComponent(account ?? "")}/${encodeURIComponent(options.id)}/${path}`,
      };
}

/** The addresses that a binding returned, by gateway and provider. They do not change while the binding exists. */
const addresses = new WeakMap<AiBinding, Map<string, string>>();

/**
 * The settings with the address of their gateway, which the binding returns if no account is set. A binding that rejects is recorded as a
 * connection that failed.
 */
export async function withGatewayAddress(settings: ProviderSettings, exchange: Exchange): Promise<ProviderSettings> {
  const { gateway } = settings;
  if (gateway?.binding === undefined) return settings;
  const { binding, options, path } = gateway;
  const known = addresses.get(binding) ?? new Map<string, string>();
  addresses.set(binding, known);
  const [provider = "", ...rest] = path.split("/");
  const key = `${options.id}/${provider}`;
  const url = known.get(key) ?? (await addressOf(binding, options.id, { provider, exchange }));
  known.set(key, url);
  return { ...settings, baseUrl: [url, ...rest].join("/") };
}

async function addressOf(
  binding: AiBinding,
  id: string,
  { provider, exchange }: { provider: string; exchange: Exchange },
): Promise<string> {
  try {
    const url = await askBinding(() => binding.gateway(id).getUrl(provider));
    return url.replace(/\/$/, "");
  } catch (error) {
    exchange.broken = true;
    throw error;
  }
}

/** The longest value of an entry of a gateway's log. */
const longestEntry = 200;

/** The entries of the gateway's log: the ids of the request's thread, and those of the definition. */
function entriesOf({ metadata }: ModelGateway, { origin }: ModelRequest): BindingGateway["metadata"] {
  if (metadata === false) return undefined;
  const entries = Object.entries({ ...origin, ...metadata }).filter(([, value]) => value !== null);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "string" ? value.slice(0, longestEntry) : value]),
  ) as BindingGateway["metadata"];
}

/** The options of a gateway by the names of the platform. */
function gatewayOptions(options: ModelGateway, request: ModelRequest): BindingGateway {
  const { accountId: _account, tokenVariable: _token, metadata: _own, ...sent } = options;
  const metadata = entriesOf(options, request);
  return metadata === undefined ? sent : { ...sent, metadata };
}

/** The gateway of a request by the binding. Models of other vendors need one; each account has one named `default`. */
export function gatewayOfBinding(request: ModelRequest): BindingGateway | undefined {
  const { model, gateway } = request.model;
  if (gateway === undefined && ofWorkersAi.test(model)) return undefined;
  return gatewayOptions(gateway ?? { id: "default" }, request);
}

/** The headers of a request through a gateway (https://developers.cloudflare.com/ai-gateway/glossary/). */
function gatewayHeaders({ options, token }: GatewaySettings, request: ModelRequest): Record<string, string> {
  const { cacheTtl, skipCache, cacheKey, collectLog, requestTimeoutMs, metadata } = gatewayOptions(options, request);
  const values = {
    "cf-aig-authorization": token === null ? undefined : `Bearer ${token}`,
    "cf-aig-cache-ttl": cacheTtl,
    "cf-aig-skip-cache": skipCache,
    "cf-aig-cache-key": cacheKey,
    "cf-aig-collect-log": collectLog,
    "cf-aig-request-timeout": requestTimeoutMs,
    // Characters outside of ASCII are escaped, because a header cannot have them.
    "cf-aig-metadata": metadata === undefined ? undefined : asciiJson(metadata),
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The headers in which the packages send a key. A gateway that has the key itself gets none. */
const keyHeaders = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];

type Fetch = typeof globalThis.fetch;

/** A fetch that adds the gateway's headers to each request; `fetch` for settings without a gateway. */
export function gatewayFetch(fetch: Fetch, { gateway, apiKey }: ProviderSettings, request: ModelRequest): Fetch {
  if (gateway === undefined) return fetch;
  const added = gatewayHeaders(gateway, request);
  const stated = new Headers(request.model.headers);
  const send = (input: Parameters<Fetch>[0], init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    if (apiKey === "") for (const name of keyHeaders) if (!stated.has(name)) headers.delete(name);
    for (const [name, value] of Object.entries(added)) headers.set(name, value);
    return fetch(input, { ...init, headers });
  };
  return send as Fetch;
}

/** The longest id of a log entry. */
const longestLogId = 100;

/** The id of the entry in the gateway's log; an empty object for a response without one. */
export function gatewayLogId(headers: Headers | null): { gateway_log_id?: string } {
  const id = headers?.get("cf-aig-log-id") ?? "";
  return id === "" ? {} : { gateway_log_id: id.slice(0, longestLogId) };
}

/** Whether an AI Gateway answered all requests of an exchange from its cache, so that the provider charges nothing. */
export function answeredFromCache(
  { gateway, binding }: Pick<ProviderSettings, "gateway" | "binding">,
  { isCached, respondingHost }: Exchange,
): boolean {
  return isCached && (gateway !== undefined || binding !== undefined || respondingHost === host);
}

/** What a user can set instead of the variable with the account of a gateway. */
export const insteadOfAccount =
  `In place of ${accountVariable}, which the address of an AI Gateway contains, set gateway.accountId, or add the binding ` +
  `${aiBindingName} to the wrangler configuration ([ai] with binding = "AI").`;
