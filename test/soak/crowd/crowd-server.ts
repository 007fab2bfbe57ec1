// The project under the dev command, with an agent that says what the model server says, and what its processes weigh. Each
// object it makes says so: an object that is made is a thread that was woken.

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
  /** Objects made so far. */
  made: () => number;
  /** MiB of resident memory of its workerd processes together. */
  weight: () => number;
  stop: () => Promise<void>;
}

/** Starts it with the model server's address. */
export async function startCrowdServer(modelUrl: string): Promise<CrowdServer> {
  const project = copyProject();
  try {
    addSpeaker(project);
    const variables = ["--var", "OPENAI_API_KEY:key-of-the-crowd", "--var", `OPENAI_BASE_URL:${modelUrl}/v1`];
    const server = await startDevServer(project.state("crowd"), variables, project.root);
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

import { compose } from "./compose.ts";

const { ThreadObject, ThreadFeed, fetch } = compose(registry, diagnostics, (world) => {
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

/** MiB that the workerd processes under a process hold. */
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

/** Nothing for what is no process, or has ended since it was listed. */
function readProcess(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
