// Settings of a definition that its provider would ignore. A build and a session refuse them, so that no setting is accepted without an effect. A
// Worker does not repeat the check.

import type { RefusableFields, RefusedField } from "./provider-profile.ts";
import { providerNamed } from "./providers.ts";
import { refusedProviderTools } from "./tools/accepted-provider-tools.ts";

/** The only field of `compat` that every protocol reads. The others describe servers with OpenAI's protocols. */
const commonCompat = "supportsTemperature";

/** The first field that the provider of a definition would ignore; undefined if it reads all of them. */
export function ignoredField(model: RefusableFields): RefusedField | undefined {
  const known = providerNamed(model.provider);
  if (known === undefined) return undefined;
  const { provider, includedProviders, cache = "auto", compat = {}, script, headers, baseUrl, keyVariable } = model;
  const refused = (field: RefusedField["field"], reason: string): RefusedField => ({ field, reason });
  const of = `the provider "${provider}"`;
  if (!("variables" in known)) {
    const sent = {
      headers,
      baseUrl,
      keyVariable,
      includedProviders,
      compat: model.compat,
      cache: model.cache,
      providerTools: model.providerTools,
    };
    const [field] = Object.entries(sent).find(([, value]) => value !== undefined) ?? [];
    return field === undefined
      ? undefined
      : refused(field as RefusedField["field"], `${of} sends no requests, so it cannot use ${field}; leave it out`);
  }
  if (script !== undefined) return refused("script", `${of} does not answer from a script; use provider: "test"`);
  const profile = known.atHost?.({ name: "", ...model }, null) ?? known;
  if (includedProviders !== undefined && includedProviders.length > 0 && profile.choosesProviders !== true)
    return refused("includedProviders", `${of} does not choose among providers; leave it out, or use "openrouter"`);
  const parts = profile.cacheParts?.(model.model) ?? [];
  if (cache !== "auto" && parts.length === 0)
    return refused("cache", `${of} takes no marks for the cache of "${model.model}"; leave out cache`);
  const wanted = typeof cache === "string" ? [] : Object.entries(cache).flatMap(([part, is]) => (is ? [part] : []));
  const unmarked = wanted.find((part) => !parts.some((known) => known === part));
  if (unmarked !== undefined)
    return refused("cache", `${of} has no mark for cache.${unmarked}, only for ${parts.join(" and ")}; leave it out`);
  const { providerTools = [] } = model;
  const host = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl).host : null;
  const { providerTools: protocol } = known.atHost?.({ name: "", ...model }, host) ?? known;
  if (providerTools.length > 0 && protocol === undefined) {
    const reason = `${of} executes no tools itself here; leave it out, or offer the tools of an MCP server`;
    return refused("providerTools", reason);
  }
  const problem = protocol === undefined ? null : refusedProviderTools(providerTools, protocol);
  if (problem !== null) return refused("providerTools", problem);
  const unread = Object.entries(compat).find(([field, value]) => value !== undefined && field !== commonCompat);
  return unread === undefined || profile.readsCompat === true
    ? undefined
    : refused("compat", `compat.${unread[0]} describes a server with OpenAI's protocols, which ${of} does not use`);
}
