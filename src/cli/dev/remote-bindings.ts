// The bindings that have no local form: wrangler opens a session with Cloudflare for them before the local server answers. Without a login
// it waits and prints nothing, so the command `dev` names what it waits for.

import { isObject } from "#compiler/definition-kind.ts";

import type { WranglerConfig } from "../doctor/wrangler-package.ts";

/** Sections of a wrangler file whose bindings wrangler never simulates. */
const alwaysRemote = new Set([
  "ai",
  "ai_search",
  "ai_search_namespaces",
  "artifacts",
  "flagship",
  "media",
  "vpc_networks",
  "vpc_services",
]);

/** The names of the bindings that need Cloudflare: those of such sections, and those with `remote = true`. */
export function remoteBindings(config: WranglerConfig): string[] {
  return Object.entries(config).flatMap(([section, value]: [string, unknown]) => {
    // A section is a binding, a list of bindings, or a table with such a list (`queues.producers`).
    const entries = [value, ...(isObject(value) && !Array.isArray(value) ? Object.values(value) : [])]
      .flat()
      .filter(isObject);
    return entries.flatMap((entry) => {
      const name = entry["binding"] ?? entry["name"];
      return typeof name === "string" && (alwaysRemote.has(section) || entry["remote"] === true) ? [name] : [];
    });
  });
}

/** The line about these bindings; null without one, or if `--local` turns them off. */
export function remoteLine(config: WranglerConfig, rest: readonly string[]): string | null {
  const names = remoteBindings(config);
  if (names.length === 0 || rest.includes("--local")) return null;
  const [are, them] = names.length === 1 ? ["The binding", "it"] : ["The bindings", "them"];
  return (
    `${are} ${names.join(", ")} can be used at Cloudflare only, so wrangler connects to your account before the server answers. ` +
    `If no address is printed, run \`npx wrangler login\`, or set CLOUDFLARE_API_TOKEN; \`threadhold dev -- --local\` serves without ${them}.`
  );
}
