// The agent that the reader writes on the guide's first page, read from that page.

import { quotedFiles, readPage } from "./guide-page.ts";
import type { ProjectCopy } from "./project-copy.ts";

/** Writes the files of the page into a project. */
export function addFirstAgent(project: ProjectCopy): void {
  for (const { file, text } of quotedFiles(readPage("first-agent.md"))) project.write(file, text);
}
