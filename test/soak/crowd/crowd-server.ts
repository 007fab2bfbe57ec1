// The project under the dev command, with an agent whose model is the delta model server. Each thread object prints a line when it is created, so a test can count the threads that were woken.

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
  stop: () => Promise<void>;
}

/** Starts the server with the address of the model server. */
export async function startCrowdServer(modelUrl: string): Promise<CrowdServer> {
  const project = copyProject();
  try {
    addSpeaker(project);
    const variables = ["--var", "OPENAI_API_KEY:key-of-the-crowd", "--var", `OPENAI_BASE_URL:${modelUrl}/v1`];
    const server = await startDevServer(project.state("crowd"), variables, { root: project.root, storedBundle: true });
    return {
      url: server.url,
      made: () => server.output().split(madeMark).length - 1,
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

const { ThreadObject, ThreadFeed, fetch } = compose(registry, { diagnostics }, (dependencies) => {
  console.log("${madeMark}");
  return dependencies;
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
