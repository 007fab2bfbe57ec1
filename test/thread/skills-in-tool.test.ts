// A program in a tool of a thread loads the skills of the thread's files.

import { expect, it } from "vitest";

import type { ThreadState } from "#spec/index.ts";
import { loadThreadSkills } from "#tools/skills/state-skills.ts";

import { consulting, toolMessage } from "./consult-driver.ts";
import { converse } from "./thread-driver.ts";

const skill = (name: string) => `---\nname: ${name}\ndescription: Use for ${name}.\n---\nDo it.\n`;

/** The result of work in a tool of a thread. */
async function inTool(work: (state: ThreadState) => Promise<unknown>): Promise<unknown> {
  const { id, text } = await consulting(async (state) => JSON.stringify(await work(state)));
  await converse(id, text);
  const { content } = (await toolMessage(id)) ?? {};
  return JSON.parse(String(content));
}

it("A program in a tool loads the skills of the thread's files, and reads them with the tool read_skill", async () => {
  const call = { toolCallId: "1", signal: new AbortController().signal };
  const result = await inTool(async (state) => {
    const none = (await loadThreadSkills(state)).skills;
    await state.writeFile("/skills/writing/SKILL.md", skill("writing"), "text/markdown");
    await state.writeFile("/skills/writing/references/[a].md", "Notes.", "text/markdown");
    await state.writeFile("/skills/adding/SKILL.md", skill("adding"), "text/markdown");
    await state.writeFile("/skills/empty/README.md", "Nothing.", "text/markdown");
    const set = await loadThreadSkills(state);
    const read = set.tool().run({ name: "writing" }, call);
    const notes = set.tool().run({ name: "writing", path: "references/[a].md" }, call);
    return { none, skills: set.skills, prompt: set.formatForPrompt(), texts: await Promise.all([read, notes]) };
  });
  expect(result).toMatchObject({
    none: [],
    skills: [
      { name: "adding", description: "Use for adding.", file_path: "/skills/adding/SKILL.md", source: "thread" },
      { name: "writing", base_dir: "/skills/writing" },
    ],
    prompt: expect.stringContaining("<location>/skills/writing/SKILL.md</location>"),
    texts: [expect.stringMatching(/Do it\.[\s\S]*Further files of the skill: references\/\[a\]\.md/), "Notes."],
  });
});

it("A skill of a thread's files that cannot be used is refused with the path of its file, and a large file is not read", async () => {
  const result = await inTool(async (state) => {
    await state.writeFile("/broken/it/SKILL.md", "---\nname: it\n---\n", "text/markdown");
    await state.writeFile("/large/it/SKILL.md", `${skill("it")}${"x".repeat(256 * 1024)}`, "text/markdown");
    const errors = ["/broken", "/large/"].map((folder) =>
      loadThreadSkills(state, folder).catch((thrown: unknown) => thrown),
    );
    return (await Promise.all(errors)).map((thrown) => {
      const { kind, message } = thrown as { kind: string; message: string };
      return [kind, message];
    });
  });
  expect(result).toEqual([
    ["MissingField", expect.stringContaining("/broken/it/SKILL.md")],
    ["Io", expect.stringContaining("/large/it/SKILL.md has ")],
  ]);
});
