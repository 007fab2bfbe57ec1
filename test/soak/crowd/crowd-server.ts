// The project under the dev command, with an agent whose model is the delta model server, and the memory use of its
// processes. Each thread object prints a line when it is created, so a test can count the threads that were woken.

import { readdirSync, readFileSync } from "node:fs";

import { startDevServer } from "../../e2e/dev-server.ts";
import { copyProject } from "../../e2e/support/project-copy.ts";
import type { ProjectCopy } from "../../e2e/support/project-copy.ts";

/** The agent's name. */
export const speaker = "crowd_speaker";

const madeMark = "object made";

/** A running server. */
export interface CrowdServer {
  url: string;
  /** The number of thread objects created so far. */
  made: () => number;
  /** MiB of resident memory of all its workerd processes. */
  weight: () => number;
  stop: () => Promise<void>;
}

/** Starts it with the address of the model server. */
export async function startCrowdServer(modelUrl: string): Promise<CrowdServer> {
  const project = copyProject();
  try {
    addSpeaker(project);
    const variables = ["--var", "OPENAI_API_KEY:key-of-the-crowd", "--var", `OPENAI_BASE_URL:${modelUrl}/v1`];
    const server = await startDevServer(project.state("crowd"), variables, { root: project.root, storedBundle: true });
    return {
      url: server.url,
      made: () => server.output().split(madeMark).length - 1,
      weight: () => workerdMemory(server.process.pid ?? 0),
      async stop() {
        await server.stop();
        project.remove();
      },
    };
  } catch (thrown) {
    project.remove();
    throw thrown;
  }
}

function addSpeaker(project: ProjectCopy): void {
  project.write(
    "src/index.ts",
    `import { diagnostics } from "#generated/diagnostics.ts";
import { registry } from "#generated/registry.ts";

import { compose } from "./worker/compose.ts";

const { ThreadObject, ThreadFeed, fetch } = compose(registry, { diagnostics }, (world) => {
  console.log("${madeMark}");
  return world;
});

export { ThreadFeed, ThreadObject };

export default { fetch };
`,
  );
  project.write(
    "agents/models/crowd_model.ts",
    `import { defineModel } from "threadhold";

export default defineModel({ name: "crowd_model", provider: "openai", model: "streaming", inputPrice: 1, outputPrice: 1 });
`,
  );
  project.write(
    "agents/prompts/crowd_prompt.ts",
    `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "crowd_prompt",
  toolDescription: "Speaks to a crowd",
  model: "crowd_model",
  prompt: "Answer.",
});
`,
  );
  project.write(
    `agents/agents/${speaker}.ts`,
    `import { defineAgent } from "threadhold";

export default defineAgent({ name: "${speaker}", sideA: { label: "Speaker", prompt: "crowd_prompt" } });
`,
  );
}

/** MiB of resident memory of the workerd processes that descend from a process. */
function workerdMemory(root: number): number {
  const parents = new Map<number, { parent: number; name: string }>();
  for (const entry of readdirSync("/proc")) {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readProcess(`/proc/${entry}/stat`)) ?? [];
    if (name !== undefined) parents.set(Number(entry), { parent: Number(parent), name });
  }
  const isUnder = (pid: number): boolean => {
    const parent = parents.get(pid)?.parent;
    return parent !== undefined && (parent === root || isUnder(parent));
  };
  const found = [...parents].filter(([pid, { name }]) => name === "workerd" && isUnder(pid));
  if (found.length === 0) throw new Error("The server has no workerd process");
  return found.reduce((sum, [pid]) => sum + residentKib(pid) / 1024, 0);
}

function residentKib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readProcess(`/proc/${String(pid)}/status`))?.[1] ?? 0);
}

/** Reads a file under /proc; empty if the process has ended since it was listed. */
function readProcess(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
