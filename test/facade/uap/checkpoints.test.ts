// The stores of checkpoints that run in Node: in memory, and as files.

import { describe } from "vitest";

import { memoryCheckpoints } from "#facade/uap/checkpoint/memory-checkpoints.ts";
import { fileCheckpoints } from "#facade/uap/checkpoint/node/file-checkpoints.ts";

import { describeStore } from "../../support/checkpoint-contract.ts";
import { withFolder } from "./support/checkpoint-folder.ts";

describe("in memory", () => {
  describeStore("The store in memory", (work) => work(memoryCheckpoints()));
});

describe("as files", () => {
  describeStore("The store of files", (work) => withFolder((dir) => work(fileCheckpoints({ dir }))));
});

describe("as compressed and encrypted files", () => {
  const encrypt = { key: new Uint8Array(32).fill(7) };
  describeStore("The store of encrypted files", (work) =>
    withFolder((dir) => work(fileCheckpoints({ dir, compress: true, encrypt }))),
  );
});
