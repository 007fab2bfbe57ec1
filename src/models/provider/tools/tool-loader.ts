// Loads the code of tools that providers execute. `addClouds` adds the loader, so that programs with `threadhold/upp` alone, whose models have no such
// tools, contain nothing of that code.

import type { ProviderTools } from "./provider-tools.ts";

type Load = () => Promise<{ ProviderTools: typeof ProviderTools }>;

const added: { load?: Load } = {};

/** Adds the loader, once for a program. */
export function addProviderTools(load: Load): void {
  added.load = load;
}

/** The loader; undefined in a program whose models have no tools of providers. */
export function providerToolsLoader(): Load | undefined {
  return added.load;
}
