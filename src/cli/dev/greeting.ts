// The text that the command `dev` prints when the server answers.

import { relative } from "node:path";

import { compilesDefinitions } from "../doctor/wrangler-checks.ts";
import type { WranglerProject } from "../doctor/wrangler-package.ts";
import type { FoundPlayground } from "./find-playground.ts";

/** A server that answers. */
interface RunningServer {
  url: string;
  project: WranglerProject;
  stateFolder: string;
  /** Whether the API is under a path of its own, because the Worker has a main module of its own. */
  isMounted: boolean;
  /** The playground that the server was found to serve. */
  found: FoundPlayground | undefined;
  /** Whether the Worker is to serve the playground next to a page of its own. */
  isExpected: boolean;
}

/** The addresses, the state folder and first requests. */
export function formatGreeting(server: RunningServer): string {
  const { url, project, stateFolder, isMounted, found } = server;
  const rows = isMounted ? mountedRows(url, found) : rootRows(server);
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

/** The rows of a Worker whose main module mounts the API. */
function mountedRows(url: string, found: FoundPlayground | undefined): string[][] {
  const below = "under the path where the Worker mounts the API: <path>";
  return [
    ["Worker", url],
    ["playground", found?.playground ?? `${below}/studio`],
    ["API", found === undefined ? `${below}/api` : apiText(found)],
  ];
}

/** The rows of a Worker whose API is at its root. */
function rootRows({ url, project: { config }, found, isExpected }: RunningServer): string[][] {
  const page = config.assets?.directory === undefined || found?.playground === url ? [] : [["page", url]];
  const missing = isExpected ? [["playground", "not served; `npx threadhold doctor` says what is missing"]] : [];
  const playground = found === undefined ? missing : [["playground", found.playground]];
  return [...page, ...playground, ["API", found === undefined ? `${url}/api` : apiText(found)]];
}

const apiText = ({ playground, api }: FoundPlayground): string => `${api}; its description: ${playground}/docs`;
