// The agent that the guide's first page has its reader write, as the page says it.

import { quotedFiles, readPage } from "./guide-page.ts";
import type { ProjectCopy } from "./project-copy.ts";

/** Writes the files of the page into a project. */
export function addFirstAgent(project: ProjectCopy): void {
  for (const { file, text } of quotedFiles(readPage("first-agent.md"))) project.write(file, text);
}
