// Serves a project in the Workers runtime, without the proxy of `wrangler dev` in front of it. That proxy keeps a request whose client
// disconnected before the response began: it reads the response later, and no client receives it. Other requests pass both in the same way.

import { readFileSync } from "node:fs";
import path from "node:path";

import { Miniflare } from "miniflare";
import type { MiniflareOptions, WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions as readWorkerOptions } from "wrangler";

import { bundleModules, bundleOptions } from "./served-bundle.ts";

/** A server that is ready. */
export interface DirectServer {
  url: string;
  stop: () => Promise<void>;
}

/**
 * The options of a server that serves the stored bundle of a project, which can be passed on as JSON. A server with `storedBundle` must have
 * been started before. `stateFolder` is a folder of `wrangler dev`, and `variables` come in addition to those of the project.
 */
export function directOptions(root: string, stateFolder: string, variables: Record<string, string>): MiniflareOptions {
  const [, configuration] = bundleOptions(root);
  if (configuration === undefined) throw new Error(`No bundle of ${root} is stored.`);
  const { workerOptions } = readWorkerOptions(configuration);
  // Wrangler has a type of its own for the same options.
  const options = { ...workerOptions, ...bundleModules(root) } as unknown as WorkerOptions;
  // Wrangler stores the objects of a Worker under its name.
  const name = /^name = "(.+)"$/m.exec(readFileSync(configuration, "utf8"))?.[1];
  return {
    ...options,
    name,
    assets: undefined,
    bindings: { ...options.bindings, ...variables },
    host: "127.0.0.1",
    port: 0,
    defaultPersistRoot: path.join(stateFolder, "v3"),
  };
}

/** Serves the stored bundle of a project in this process. */
export async function startDirectServer(
  root: string,
  stateFolder: string,
  variables: Record<string, string>,
): Promise<DirectServer> {
  const server = new Miniflare(directOptions(root, stateFolder, variables));
  const { origin } = await server.ready;
  return { url: origin, stop: () => server.dispose() };
}
