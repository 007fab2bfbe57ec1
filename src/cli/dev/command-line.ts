// The command line `wrangler dev`. It is used if the options cannot be given to wrangler's server in another way.

import type { WranglerProject } from "../doctor/wrangler-package.ts";
import type { DevOptions } from "./dev-command.ts";
import type { ServerSettings } from "./server-commands.ts";

/** Returns the arguments that serve a project with these settings. */
export function commandLine(
  { environment, ip, port, stateFolder, variables }: ServerSettings,
  { file, config }: Pick<WranglerProject, "file" | "config">,
  { inspect, rest }: Pick<DevOptions, "inspect" | "rest">,
): string[] {
  const isPortGiven = config.dev.inspector_port !== undefined || rest.some((one) => /^--inspector-port\b/.test(one));
  return [
    ["dev", "--config", file, "--port", String(port), "--ip", ip, "--persist-to", stateFolder],
    ["--show-interactive-dev-session=false"],
    // Two servers that start at the same time would find the same free port for their inspectors, and one of them would end with an error.
    inspect || isPortGiven ? [] : ["--inspector-port", "0"],
    environment === undefined ? [] : ["--env", environment],
    variables.flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    rest,
  ].flat();
}
