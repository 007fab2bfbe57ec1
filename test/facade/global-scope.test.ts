// Values that a Worker creates in its global scope, where workerd refuses to create random values: a module in real workerd.

import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { expect, it } from "vitest";

const source = (file: string): string =>
  JSON.stringify(fileURLToPath(new URL(`../../src/facade/${file}`, import.meta.url)));

const worker = `
import { Thread, UserMessage } from ${source("upp/index.ts")};
import { AgentState } from ${source("uap/index.ts")};
import { ThreadTree } from ${source("uap/thread-tree.ts")};

const message = new UserMessage("Hi.");
const kept = [new Thread(), message, AgentState.initial().withMessage(message), new ThreadTree().root];
const tree = new ThreadTree(kept[2]);
export default {
  fetch() {
    const branch = tree.nodes.get(tree.branch(tree.root.id));
    return Response.json({ ids: [...kept, tree.root].map(({ id }) => id), nodes: [...tree.nodes.keys()], parent: branch.parentId });
  },
};`;

it("A thread, a message, a state and a tree can be created at the top level of a Worker's module, and have the same id in each request", async () => {
  const { outputFiles } = await build({
    stdin: { contents: worker, resolveDir: fileURLToPath(new URL(".", import.meta.url)), loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "import"],
  });
  const runtime = new Miniflare({ modules: true, script: outputFiles[0]?.text ?? "", compatibilityDate: "2026-01-01" });
  try {
    const request = async () =>
      (await (await runtime.dispatchFetch("http://worker.example/")).json()) as {
        ids: string[];
        nodes: string[];
        parent: string;
      };
    const [first, second] = [await request(), await request()];
    expect(first.ids).toHaveLength(5);
    expect(new Set(first.ids).size).toBe(5);
    for (const id of first.ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-/);
    expect(second.ids).toEqual(first.ids);
    expect([first.parent, first.nodes[0]]).toEqual([first.ids[4], first.ids[4]]);
    expect(second.nodes).toHaveLength(3);
  } finally {
    await runtime.dispose();
  }
});
