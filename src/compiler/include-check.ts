// Checks that no prompt includes itself, directly or through other prompts.

import type { Findings } from "./findings.ts";
import type { Project } from "./project.ts";

interface Include {
  target: string;
  index: number;
}

/** Reports each cycle once, at the include that closes the cycle. */
export function checkIncludes(project: Project, findings: Findings): void {
  const prompts = new Map(project.prompts.map((prompt) => [prompt.name, prompt]));
  const finished = new Set<string>();

  function visit(name: string, trail: readonly string[]): void {
    const prompt = prompts.get(name);
    if (!prompt || finished.has(name)) return;
    const here = [...trail, name];
    for (const { target, index } of includesOf(prompt.value.prompt)) {
      const start = here.indexOf(target);
      if (start === -1) visit(target, here);
      else {
        const cycle = [...here.slice(start), target].join(" → ");
        findings.error({
          code: "include_cycle",
          file: prompt.file,
          path: ["prompt", index, "prompt"],
          message: `prompts include each other: ${cycle}`,
        });
      }
    }
    finished.add(name);
  }

  for (const { name } of project.prompts) visit(name, []);
}

function includesOf(content: Project["prompts"][number]["value"]["prompt"]): Include[] {
  if (typeof content === "string") return [];
  return content.flatMap((part, index) => (part.type === "include" ? [{ target: part.prompt, index }] : []));
}
