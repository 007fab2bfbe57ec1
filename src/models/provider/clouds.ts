// The providers whose address belongs to an account at a cloud, and the code of tools that providers execute. Workers, sessions, builds and commands add them to the list; programs with
// `threadhold/upp` alone, which has entries for single providers, contain nothing of them.

import { azure } from "./azure.ts";
import { bedrock } from "./bedrock.ts";
import { addProviders } from "./providers.ts";
import { addProviderTools } from "./tools/tool-loader.ts";
import { vertex } from "./vertex.ts";

/** Adds the providers of clouds to the list of providers, and the loader of providers' tools. */
export function addClouds(): void {
  addProviders([azure, bedrock, vertex]);
  addProviderTools(() => import("./tools/provider-tools.ts"));
}
