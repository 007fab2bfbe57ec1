// Renders paths in a text: the path of an existing file of the thread is a link, any other path stays text.

import { createContext, use } from "react";
import type { ReactElement, ReactNode } from "react";
import { Link } from "wouter";

import { filesAddress } from "../files/file-address.ts";

/** The thread that a text belongs to, and the paths of its files. */
export interface ThreadFiles {
  threadId: string;
  paths: ReadonlySet<string>;
}

/** Null for a text that belongs to no thread. */
export const ThreadFilesContext = createContext<ThreadFiles | null>(null);

/** A path, as a link if the file exists. */
export function ThreadFile({ path, children }: { path: string; children: ReactNode }): ReactElement {
  const files = use(ThreadFilesContext);
  if (files?.paths.has(path) !== true) return <>{children}</>;
  return <Link href={filesAddress(files.threadId, { path, folder: false })}>{children}</Link>;
}
