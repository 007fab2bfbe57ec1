// Checkpoints as files when the process that saves them is killed.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { fileCheckpoints } from "#facade/uap/checkpoint/node/file-checkpoints.ts";

import { bundled } from "../../session/support/plain-node.ts";
import type { Program } from "../../session/support/plain-node.ts";
import { withFolder } from "./support/checkpoint-folder.ts";

// The program is bundled, and started several times, on a machine that is also used by other work.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let program: Program | undefined;

beforeAll(async () => {
  program = await bundled(`
    import { AgentState } from "#facade/uap/agent-state.ts";
    import { fileCheckpoints } from "#facade/uap/checkpoint/node/file-checkpoints.ts";
    import { UserMessage } from "#facade/upp/upp-message.ts";
    const [dir, begin, options] = process.argv.slice(2);
    const store = fileCheckpoints({ dir, ...JSON.parse(options) });
    let state = AgentState.initial().withMessage(new UserMessage("x".repeat(500_000)));
    for (let step = Number(begin); ; step += 1) {
      await store.save("s", state.withStep(step).withMetadata("check", step).toJSON());
      console.log(step);
    }
  `);
});

afterAll(() => program?.remove());

/** Runs the program until it has reported `count` saves, and kills it. Returns the last reported step. */
async function killed(
  dir: string,
  options: object,
  { begin, count }: { begin: number; count: number },
): Promise<number> {
  const args = [program?.file ?? "", dir, String(begin), JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const closed = new Promise((resolve, reject) => {
    child.on("close", resolve);
    child.on("error", reject);
  });
  let last = begin - 1;
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line);
    if (last >= begin + count - 1) child.kill("SIGKILL");
  }
  await closed;
  expect(child.signalCode).toBe("SIGKILL");
  return last;
}

it.each([
  ["plain", {}],
  ["compressed and encrypted", { compress: true, encrypt: { passphrase: "correct horse" } }],
])(
  "After a process was killed while it saved %s files, the stored state is complete and not older than the last save that it reported",
  (_, options) =>
    withFolder(async (dir) => {
      const store = fileCheckpoints({ dir, ...options });
      let begin = 1;
      for (const count of [1, 2, 3, 4, 7, 11]) {
        const reported = await killed(dir, options, { begin, count });
        const state = AgentState.fromJSON(await store.load("s"));
        expect(state.step).toBeGreaterThanOrEqual(reported);
        expect([state.metadata["check"], state.messages[0]?.text.length]).toEqual([state.step, 500_000]);
        expect(await store.loadMetadata("s")).toMatchObject({ sessionId: "s", step: state.step });
        begin = state.step + 1;
      }
    }),
);
