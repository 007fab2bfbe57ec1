// The built-in tools that a project uses. A built-in tool is in the registry, and so in the Worker, only if a prompt or another definition
// names it. A project's tool, prompt or agent of the same name replaces it.

import { builtInTools, type BuiltInTool } from "./built-in-tool-names.ts";
import { callablesOf, mayBeBroken, type Project } from "./project.ts";
import { findReferences } from "./reference-check.ts";

/** The built-in tools that the project's definitions name, sorted by name. */
export function usedBuiltInTools(project: Project): (BuiltInTool & { name: string })[] {
  const own = new Set(callablesOf(project).map(({ name }) => name));
  const named = findReferences(project).flatMap(({ kinds, name }) => (kinds.includes("tool") ? [name] : []));
  return [...new Set(named)].toSorted().flatMap((name) => {
    const tool = builtInTools.get(name);
    const isOwn = own.has(name) || mayBeBroken(project, ["tool", "prompt", "agent"], name);
    return tool === undefined || isOwn ? [] : [{ name, ...tool }];
  });
}

/** Returns a note for each definition of the project that replaces a built-in tool, if a definition names the tool. */
export function replacementNotes(project: Project): string[] {
  const named = new Set(findReferences(project).flatMap(({ kinds, name }) => (kinds.includes("tool") ? [name] : [])));
  return callablesOf(project).flatMap(({ name, file }) =>
    named.has(name) && builtInTools.has(name) ? [`${file} replaces the built-in tool "${name}"`] : [],
  );
}
