// Serves a project in the Workers runtime, without the proxy of `wrangler dev` in front of it. That proxy keeps a request whose client
// disconnected before the response began: it reads the response later, and no client receives it. Other requests pass both in the same way.

import path from "node:path";

import { Miniflare } from "miniflare";
import type { WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions as readWorkerOptions } from "wrangler";

import { bundleModules, bundleOptions } from "./served-bundle.ts";

/** A server that is ready. */
export interface DirectServer {
  url: string;
  stop: () => Promise<void>;
}

/**
 * Serves the stored bundle of a project, so a server with `storedBundle` must have been started before. `stateFolder` is a folder of
 * `wrangler dev`, and `variables` come in addition to those of the project.
 */
export async function startDirectServer(
  root: string,
  stateFolder: string,
  variables: Record<string, string>,
): Promise<DirectServer> {
  const [, configuration] = bundleOptions(root);
  if (configuration === undefined) throw new Error(`No bundle of ${root} is stored.`);
  const { workerOptions } = readWorkerOptions(configuration);
  // Wrangler has a type of its own for the same options.
  const options = { ...workerOptions, ...bundleModules(root) } as unknown as WorkerOptions;
  const server = new Miniflare({
    ...options,
    assets: undefined,
    bindings: { ...options.bindings, ...variables },
    host: "127.0.0.1",
    port: 0,
    defaultPersistRoot: path.join(stateFolder, "v3"),
  });
  const { origin } = await server.ready;
  return { url: origin, stop: () => server.dispose() };
}
