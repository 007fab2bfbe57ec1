// Brings exported threads in. A file that is no export is refused before anything of it is sent.

import type { ProgressListener, Thread, ThreadholdClient } from "threadhold/client";

/** More than the first line of any export. */
const headBytes = 16 * 1024;

/** The file is no exported thread. */
class NoExportError extends Error {}

/** What its first line tells of an export. */
export interface ExportHead {
  threadId: string;
}

/** Reads the first line. Throws a `NoExportError` where it is not that of an export. */
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

/** How it is sent. */
export interface Importing {
  signal: AbortSignal;
  onProgress: ProgressListener;
}

/** The thread that the file was. */
export async function importThread(client: ThreadholdClient, file: File, options: Importing): Promise<Thread> {
  await headOf(file);
  return client.threads.import(file, options);
}
