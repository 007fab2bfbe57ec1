// The binding `AI` of a project's Worker: models of Workers AI need it, and it returns the addresses of AI Gateways. It is a line of the
// configuration, so that no command asks for a secret.

import { extname } from "node:path";

import { aiBindingName, bindingOf } from "#models/readiness.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { ok, warning, type Finding } from "./finding.ts";
import type { WranglerConfig } from "./wrangler-package.ts";

/** A binding for questions about readiness. It sends nothing. */
const placeholder = { run: () => Promise.reject(new Error("The command line has no bindings.")) };

/** The binding by its name, if the configuration has it. */
export function boundVariables({ ai }: Pick<WranglerConfig, "ai">): Record<string, unknown> {
  return ai?.binding === aiBindingName ? { [aiBindingName]: placeholder } : {};
}

/** Checks the binding that models of Workers AI need. `environment` is the section of the configuration that a deploy uses. */
export function aiBindingFindings(
  models: readonly AnyModelDefinition[],
  { config, file, environment }: { config: Pick<WranglerConfig, "ai">; file: string; environment?: string | undefined },
): Finding[] {
  const names = models.filter((model) => bindingOf(model) !== null).map(({ name }) => name);
  if (names.length === 0) return [];
  const title = `binding ${aiBindingName}`;
  const login = "on this machine it needs a login: npx wrangler login";
  if (config.ai?.binding === aiBindingName) return [ok(title, `models of Cloudflare (${names.join(", ")}); ${login}`)];
  const section = environment === undefined ? "" : `env.${environment}.`;
  const fix =
    extname(file) === ".toml"
      ? `npx threadhold init, or add\n[${section}ai]\nbinding = "${aiBindingName}"`
      : `npx threadhold init, or add ${section === "" ? "" : `to ${section.slice(0, -1)} `}"ai": { "binding": "${aiBindingName}" }`;
  return [warning(title, `It is missing, and the models ${names.join(", ")} need it.`, fix)];
}
