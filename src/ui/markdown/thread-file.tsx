// Paths of the thread's files in a text. A path of a file that exists leads to it; all others stay text.

import { createContext, use } from "react";
import type { ReactElement, ReactNode } from "react";
import { Link } from "wouter";

import { filesAddress } from "../files/file-address.ts";

/** The thread that a text belongs to, and the paths of its files. */
export interface ThreadFiles {
  threadId: string;
  paths: ReadonlySet<string>;
}

/** Null where a text belongs to no thread. */
export const ThreadFilesContext = createContext<ThreadFiles | null>(null);

/** A path, as a link where there is such a file. */
export function ThreadFile({ path, children }: { path: string; children: ReactNode }): ReactElement {
  const files = use(ThreadFilesContext);
  if (files?.paths.has(path) !== true) return <>{children}</>;
  return <Link href={filesAddress(files.threadId, { path, folder: false })}>{children}</Link>;
}
