// The rows that a change of a file costs an idle thread: the file's rows, an event, the thread's row, and an alarm for large files.

import { describe, expect, it } from "vitest";

import { pattern } from "../store/files/file-stage.ts";
import { fileSettings } from "../worker/file-works.ts";
import { newThread, stubOf } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

const chunk = 1_835_008;

async function costs(
  id: string,
  toolFunctions: Record<string, () => Promise<unknown>>,
): Promise<Record<string, number>> {
  const spent: Record<string, number> = {};
  for (const [name, work] of Object.entries(toolFunctions)) {
    const before = (await stubOf(id).rows()).rowsWritten;
    await work();
    spent[name] = (await stubOf(id).rows()).rowsWritten - before;
  }
  return spent;
}

describe("rows written by a change of a file", () => {
  it("A change of a file writes the rows of the file and two more rows, and a third one if a large file sets an alarm", async () => {
    fileSettings.bucket = null;
    const id = await newThread("filer");
    const files = new Files(id);
    const five = pattern(5 * chunk);
    const spent = await costs(id, {
      small: () => files.put("/a", "x"),
      replaced: () => files.put("/a", "y"),
      large: () => files.put("/b", five),
      largeReplaced: () => files.put("/b", five),
      removed: () => files.ask("DELETE", "/files/a"),
      largeRemoved: () => files.ask("DELETE", "/files/b"),
      read: () => files.get("/none"),
    });
    delete fileSettings.bucket;
    console.info(`rows written by a thread ${JSON.stringify(spent)}`);
    expect(spent).toEqual({
      small: 1 + 2,
      replaced: 1 + 2,
      large: 8 + 2 + 1,
      // The alarm was set before.
      largeReplaced: 13 + 2,
      removed: 1 + 2,
      largeRemoved: 6 + 2,
      read: 0,
    });
  });

  it("A change of a file of 9 MiB in the bucket writes at most six rows", async () => {
    const id = await newThread("filer");
    const files = new Files(id);
    const large = pattern(9 * 1024 * 1024);
    const spent = await costs(id, {
      large: () => files.put("/b", large),
      replaced: () => files.put("/b", large),
      removed: () => files.ask("DELETE", "/files/b"),
    });
    console.info(`rows written by a thread for the bucket ${JSON.stringify(spent)}`);
    expect(spent).toEqual({ large: 3 + 2 + 1, replaced: 4 + 2, removed: 2 + 2 });
  });
});
