// The providers whose address belongs to an account at a cloud, or that a binding reaches, and the tools that providers execute. Workers, sessions,
// loops, builds and commands add them; programs with `threadhold/upp` alone, which has entries for single providers and no field for such tools,
// contain nothing of them.

import { azure } from "./azure.ts";
import { bedrock } from "./bedrock.ts";
import { addProviders } from "./providers.ts";
import { addProviderTools } from "./tools/tool-loader.ts";
import { vertex } from "./vertex.ts";
import { workersAi } from "./workers-ai.ts";

/** Adds the providers of clouds and of bindings to the list of providers, and the tools that providers execute. */
export function addClouds(): void {
  addProviderTools(() => import("./tools/provider-tools.ts"));
  addProviders([azure, bedrock, vertex, workersAi]);
}
