// Skills of the project, and prompts that use them.

import { defineAgent, definePrompt } from "#spec/index.ts";
import type { PromptDefinition, SkillsEntry } from "#spec/index.ts";

export const skillsEntry: SkillsEntry = {
  load: () => import("#tools/skills/index.ts"),
  project: () =>
    Promise.resolve([
      {
        name: "writing",
        description: `Use for texts with <tags>, "quotes" & 'apostrophes'.`,
        files: {
          "SKILL.md": "---\nname: writing\ndescription: …\n---\nWrite short sentences.\n",
          "references/words.md": "Say use, not utilise.",
        },
      },
      { name: "adding", description: "Use for sums.", files: { "SKILL.md": "Add from the right." } },
    ]),
};

const prompt = (name: string, more: Pick<PromptDefinition, "skills">) =>
  definePrompt({ name, toolDescription: "Uses skills", prompt: "You are a test.", model: "scripted", ...more });

export const skillPrompts = [
  prompt("skilled", { skills: true }),
  prompt("skilled-once", { skills: ["writing"] }),
  prompt("unskilled", {}),
];

export const skillAgents = skillPrompts.map(({ name }) => defineAgent({ name, sideA: { prompt: name } }));
