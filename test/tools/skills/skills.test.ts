// Skills of a project and of a thread, in runs of a real thread: the section of the system prompt, and the tool that returns their files.

import { expect, it } from "vitest";

import { converse } from "../../thread/thread-driver.ts";
import { scripts } from "../../worker/definitions.ts";
import { ToolCaller } from "../tool-caller.ts";

/** The system prompt and the tools of the thread's next request. */
async function nextRequest(id: string): Promise<{ system: string; tools: string[] }> {
  const received: { system: string; tools: string[] }[] = [];
  const word = `see-${crypto.randomUUID()}`;
  scripts.set(word, ({ system, tools }) => {
    received.push({ system, tools: tools.map((tool) => tool.name) });
    return { text: "Seen." };
  });
  await converse(id, word);
  return received[0] ?? { system: "", tools: [] };
}

const writing = `  <skill>
    <name>writing</name>
    <description>Use for texts with &lt;tags&gt;, &quot;quotes&quot; &amp; &apos;apostrophes&apos;.</description>
  </skill>`;

const skillText = (name: string, description: string, more = "") =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n${more}`;

it("The system prompt lists all skills by name as XML, and a prompt that names skills lists only those", async () => {
  const all = await ToolCaller.create("skilled");
  expect(await nextRequest(all.id)).toEqual({
    system: `You are a test.

<available_skills>
  <skill>
    <name>adding</name>
    <description>Use for sums.</description>
  </skill>
${writing}
</available_skills>`,
    tools: ["read_skill"],
  });
  const one = await ToolCaller.create("skilled-once");
  expect(await nextRequest(one.id)).toEqual({
    system: `You are a test.\n\n<available_skills>\n${writing}\n</available_skills>`,
    tools: ["read_skill"],
  });
  const none = await ToolCaller.create("unskilled");
  expect(await nextRequest(none.id)).toEqual({ system: "You are a test.", tools: [] });
});

it("The tool read_skill returns SKILL.md with the paths of the skill's further files, and each further file by its path", async () => {
  const caller = await ToolCaller.create("skilled");
  expect(await caller.text("read_skill", { name: "writing" })).toBe(
    "---\nname: writing\ndescription: …\n---\nWrite short sentences.\n\n[Further files of the skill: references/words.md]",
  );
  expect(await caller.text("read_skill", { name: "writing", path: "./references/words.md" })).toBe(
    "Say use, not utilise.",
  );
  expect(await caller.text("read_skill", { name: "adding" })).toBe("Add from the right.");
});

it("A skill that a prompt does not use, a missing file and a path outside of the skill are errors that name the existing skills or files", async () => {
  const caller = await ToolCaller.create("skilled-once");
  expect(await caller.text("read_skill", { name: "adding" })).toBe(
    'Error: There is no skill "adding". The skills are: writing.',
  );
  for (const path of ["none.md", "../../secret.txt", "/secret.txt", "a//b", "", "..", "__proto__"]) {
    expect(await caller.text("read_skill", { name: "writing", path })).toBe(
      `Error: The skill "writing" has no file "${path}". Its files are: SKILL.md, references/words.md.`,
    );
  }
  expect(await caller.text("read_skill", { name: "__proto__" })).toContain('There is no skill "__proto__"');
});

it("A path does not lead out of the folder of a thread's skill", async () => {
  const caller = await ToolCaller.create("skilled");
  await caller.files.put("/secret.txt", "secret");
  await caller.files.put("/skills/own/SKILL.md", skillText("own", "The thread's own."));
  for (const path of ["../../secret.txt", "/secret.txt", "a/../../../secret.txt", "./../../secret.txt"]) {
    const text = await caller.text("read_skill", { name: "own", path });
    expect(text).toMatch(/^Error: The skill "own" has no file .* Its files are: SKILL\.md\.$/);
  }
});

it("A prompt that names skills uses the texts of the project, and no skill of the thread", async () => {
  const caller = await ToolCaller.create("skilled-once");
  await caller.files.put("/skills/writing/SKILL.md", skillText("writing", "The thread's own."));
  expect((await nextRequest(caller.id)).system).toContain(writing);
  expect(await caller.text("read_skill", { name: "writing" })).toContain("Write short sentences.");
});

it("A thread's own skills are listed in its next step and replace those of the project with the same name", async () => {
  const caller = await ToolCaller.create("skilled");
  await caller.files.put("/skills/adding/SKILL.md", skillText("adding", "The thread's sums.", "Carry the one."));
  await caller.files.put("/skills/adding/tables/seven.md", "7 14 21");
  await caller.files.put("/skills/more/SKILL.md", skillText("more", "Use: when there is more."));
  const { system } = await nextRequest(caller.id);
  expect(system.match(/<(name|description)>[^<]*/g)).toEqual([
    "<name>adding",
    "<description>The thread&apos;s sums.",
    "<name>more",
    "<description>Use: when there is more.",
    "<name>writing",
    expect.any(String),
  ]);
  expect(await caller.text("read_skill", { name: "adding" })).toMatch(
    /Carry the one\.\n\n\[Further files of the skill: tables\/seven\.md\]$/,
  );
  expect(await caller.text("read_skill", { name: "adding", path: "tables/seven.md" })).toBe("7 14 21");
  await caller.files.put("/skills/adding/SKILL.md", skillText("adding", "Changed."));
  expect((await nextRequest(caller.id)).system).toContain("<description>Changed.");
});

it("A thread's skill that cannot be used is left out, and the others remain", async () => {
  const caller = await ToolCaller.create("skilled");
  await caller.files.put("/skills/plain/SKILL.md", "No frontmatter.");
  await caller.files.put("/skills/other/SKILL.md", skillText("another", "Has another name."));
  await caller.files.put("/skills/binary/SKILL.md", new Uint8Array([0xff, 0xfe, 0x00]));
  await caller.files.put("/skills/large/SKILL.md", skillText("large", "Too large.", "x".repeat(300 * 1024)));
  await caller.files.put("/skills/empty/notes.md", "A folder without a main file.");
  await caller.files.put("/skills/good/SKILL.md", skillText("good", "Works."));
  const { system } = await nextRequest(caller.id);
  expect(system.match(/<name>[^<]*/g)).toEqual(["<name>adding", "<name>good", "<name>writing"]);
});

it("The description of a thread's skill is shortened to 1,024 characters", async () => {
  const caller = await ToolCaller.create("skilled");
  await caller.files.put("/skills/long/SKILL.md", skillText("long", "L".repeat(2000)));
  const { system } = await nextRequest(caller.id);
  expect(system).toContain(`<description>${"L".repeat(1023)}…</description>`);
});

it("A thread has at most 100 skills of its own", async () => {
  const caller = await ToolCaller.create("skilled");
  const names = Array.from({ length: 101 }, (_, at) => `own-${String(at).padStart(3, "0")}`);
  for (const name of names) await caller.files.put(`/skills/${name}/SKILL.md`, skillText(name, "Works."));
  const { system } = await nextRequest(caller.id);
  const shown = system.match(/<name>own-[^<]*/g) ?? [];
  expect(shown).toEqual(names.slice(0, 100).map((name) => `<name>${name}`));
});

it("A thread without skills of its own reads at most two rows more in a step than one whose prompt uses no skills", async () => {
  const [skilled, unskilled] = [await ToolCaller.create("skilled"), await ToolCaller.create("unskilled")];
  const rows = (caller: ToolCaller) => caller.rowsRead(() => converse(caller.id, "hello"));
  expect((await rows(skilled)) - (await rows(unskilled))).toBeLessThanOrEqual(2);
});
