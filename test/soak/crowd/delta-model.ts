// The model server of the crowd tests, in a process of its own that ends with the test's process.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

import { z } from "zod";

const main = fileURLToPath(new URL("../../support/delta-model/main.mjs", import.meta.url));

/** A running model server. */
export interface DeltaModel {
  url: string;
  close: () => void;
}

/** The answer to a message that asks for this number of deltas. */
export function answerOf(deltas: number): string {
  return Array.from({ length: deltas }, (_, index) => `word${String(index)} `).join("");
}

export async function startDeltaModel(): Promise<DeltaModel> {
  const child = fork(main, { execArgv: [] });
  const url = await new Promise<string>((resolve, reject) => {
    child.once("message", (message) => resolve(z.string().parse(message)));
    child.once("exit", (code) => reject(new Error(`The model server ended with ${String(code)}`)));
  });
  return { url, close: () => child.disconnect() };
}
