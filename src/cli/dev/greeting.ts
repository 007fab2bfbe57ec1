// The text that the command `dev` prints when the server answers.

import { relative } from "node:path";

import { compilesDefinitions } from "../doctor/wrangler-checks.ts";
import type { WranglerProject } from "../doctor/wrangler-package.ts";

/** A server that answers. */
interface RunningServer {
  url: string;
  project: WranglerProject;
  stateFolder: string;
  /** Whether the API is under a path of its own, because the Worker has a main module of its own. */
  isMounted: boolean;
}

/** The addresses, the state folder and first requests. */
export function formatGreeting({ url, project, stateFolder, isMounted }: RunningServer): string {
  const rows = isMounted
    ? [
        ["Worker", url],
        ["API", "under the path where the Worker mounts it: <path>/api"],
      ]
    : [...pageRow(project, url), ["API", `${url}/api; its description: ${url}/docs`]];
  const inside = relative(project.root, stateFolder);
  rows.push(["state", inside.startsWith("..") ? stateFolder : inside]);
  const requests = isMounted
    ? ""
    : `
  curl ${url}/healthz
  curl ${url}/api/agents
  curl -X POST ${url}/api/threads -H 'content-type: application/json' -d '{"agent_id":"NAME"}'
`;
  return `
Threadhold is ready on ${url}

${rows.map(([name = "", value = ""]) => `  ${name.padEnd(12)}${value}`).join("\n")}
${requests}
Pages of this machine may call it from any port; ALLOWED_ORIGINS admits others.
${compilesDefinitions(project.config) ? "Changes under agents/ are served at once. " : ""}Ctrl-C stops.
`;
}

/** The row of the page that the Worker serves: the playground, or the assets of the project. */
function pageRow({ config }: WranglerProject, url: string): string[][] {
  const folder = config.assets?.directory;
  if (folder === undefined) return [];
  return [[/(?:^|[\\/])dist[\\/]ui[\\/]?$/.test(folder) ? "playground" : "page", url]];
}
