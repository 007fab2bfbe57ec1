// A provider of the project whose file and whose name change under the dev command.

import { renameSync } from "node:fs";
import path from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { startDevServer } from "./dev-server.ts";
import { copyProject } from "./support/project-copy.ts";

const provider = (name: string, text: string): string =>
  `import { defineProvider } from "threadhold";
export default defineProvider({
  name: "${name}",
  async *stream() {
    yield { type: "text", text: "${text}" };
    yield { type: "finish", reason: "stop" };
  },
});`;

const model = (name: string): string =>
  `import { defineModel } from "threadhold";
export default defineModel({ name: "renamed", provider: "${name}", model: "m-1" });`;

/** A server compiles and starts, on a machine that other tests use too. */
const patient = { timeout: 120_000 };

it(
  "PROVIDER1 Under the dev command a provider keeps its models when its file is renamed, and a new name is an error until its models use it",
  {
    timeout: 300_000,
  },
  async () => {
    const project = copyProject();
    onTestFinished(project.remove);
    project.write("agents/providers/first.ts", provider("own", "one"));
    project.write("agents/models/renamed.ts", model("own"));
    const server = await startDevServer(project.state("served"), [], project.root);
    onTestFinished(async () => void (await server.stop()));
    /** The answer of the model, in the trial of a tool, which it does not call. */
    const answer = async (): Promise<string> => {
      const requested = { method: "POST", body: JSON.stringify({ kinds: ["tool"] }) };
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${server.url}/api/models/renamed/test`, { ...requested, headers });
      return response.text();
    };
    expect(await answer()).toContain('answered \\"one\\"');

    renameSync(
      path.join(project.root, "agents/providers/first.ts"),
      path.join(project.root, "agents/providers/next.ts"),
    );
    project.write("agents/providers/next.ts", provider("own", "two"));
    await expect.poll(answer, patient).toContain('answered \\"two\\"');

    project.write("agents/providers/next.ts", provider("server", "three"));
    await expect.poll(server.output, patient).toContain('unknown provider "own"');
    // The last build without errors is served.
    expect(await answer()).toContain('answered \\"two\\"');

    project.write("agents/models/renamed.ts", model("server"));
    await expect.poll(answer, patient).toContain('answered \\"three\\"');
    const shown = (await (await fetch(`${server.url}/api/models/renamed`)).json()) as object;
    expect(shown).toMatchObject({ provider: "server", ready: true });
  },
);
