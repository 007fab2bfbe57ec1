// Imports exported threads. A file that is no export is refused before anything is sent.

import type { ProgressListener, Thread, ThreadholdClient } from "threadhold/client";

/** The first line of any export is shorter than this. */
const headBytes = 16 * 1024;

/** The file is not an exported thread. */
class NoExportError extends Error {}

/** The facts in the first line of an export. */
export interface ExportHead {
  threadId: string;
}

/** Reads the first line. Throws a `NoExportError` if the file is no export. */
export async function headOf(file: File): Promise<ExportHead> {
  const [line = ""] = (await file.slice(0, headBytes).text()).split("\n", 1);
  const head = read(line);
  if (head === null) {
    throw new NoExportError(
      `“${file.name}” is not an exported thread: its first line does not name the format threadhold-thread. Choose a file that “Export” in a thread's menu has made.`,
    );
  }
  return head;
}

function read(line: string): ExportHead | null {
  try {
    const head = JSON.parse(line) as { format?: unknown; thread_id?: unknown } | null;
    if (head?.format !== "threadhold-thread" || typeof head.thread_id !== "string") return null;
    return { threadId: head.thread_id };
  } catch {
    return null;
  }
}

export interface Importing {
  signal: AbortSignal;
  onProgress: ProgressListener;
}

/** Imports the file and returns the thread. */
export async function importThread(client: ThreadholdClient, file: File, options: Importing): Promise<Thread> {
  await headOf(file);
  return client.threads.import(file, options);
}
