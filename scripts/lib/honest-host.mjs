// Loaded into wrangler before wrangler itself (`node --import`). Its server takes the URL, and with it the Host, of a request
// from an `MF-Original-URL` header whoever sends it. A page under a rebound name (its DNS entry turned to 127.0.0.1) may set
// that header and would pass for localhost. With this, such a request is refused before the Worker is asked; the dev command
// tells the Worker so with HOST_CHECKED. Ends wrangler where its server is not the one known here.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { fromRoot } from "./paths.mjs";
import { tools } from "./tools.mjs";

const entrance = "function getUserRequest(request, env, clientIp) {";
const known = [entrance, "function isHostnameAllowed(hostname, allowedHostnames) {", "new HttpError("];

// Wrangler asks its own server by its address and under a loopback Host, and is let through.
const check = `
  if (request.headers.has("MF-Original-URL") && !request.headers.has("MF-Proxy-Shared-Secret")) {
    const host = URL.parse("http://" + request.headers.get("Host"))?.hostname ?? "";
    if (!isHostnameAllowed(host, [])) throw new HttpError(403, "Disallowed header in request: MF-Original-URL");
  }`;

/**
 * The server's source with the check in it.
 *
 * @param {string} source
 */
export function withHostCheck(source) {
  if (!known.every((text) => source.split(text).length > 1) || source.split(entrance).length !== 2) {
    throw new Error(
      "Wrangler's server is another one than scripts/lib/honest-host.mjs knows; it must not be served open.",
    );
  }
  return source.replace(entrance, () => entrance + check);
}

/** The file of the server that wrangler runs. */
export function serverFile() {
  const fromWrangler = createRequire(fromRoot(tools.wrangler));
  return path.join(path.dirname(fromWrangler.resolve("miniflare")), "workers/core/entry.worker.js");
}

/** Makes every later read of the file, in this process, give the source with the check. */
export function installHostCheck(file = serverFile()) {
  const read = fs.readFileSync;
  const checked = withHostCheck(read(file, "utf8"));
  fs.readFileSync = /** @type {typeof read} */ (
    (...call) => (call[0] === file ? checked : Reflect.apply(read, fs, call))
  );
}

if (process.execArgv.some((argument) => argument.endsWith("honest-host.mjs"))) installHostCheck();
