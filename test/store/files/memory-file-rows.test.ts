// The file system's contract over rows in memory.

import { memoryFileRows } from "../../support/memory-store/memory-file-rows.ts";
import { fileBytesContract } from "./file-bytes-contract.ts";
import { fileEditsContract } from "./file-edits-contract.ts";
import { fileNamesContract } from "./file-names-contract.ts";
import type { WithRows } from "./file-stage.ts";
import { fileStreamsContract } from "./file-streams-contract.ts";

const withRows: WithRows = (work) => work(memoryFileRows());

fileNamesContract("memory", withRows);
fileBytesContract("memory", withRows);
fileStreamsContract("memory", withRows);
fileEditsContract("memory", withRows);
