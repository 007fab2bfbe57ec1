// Skills that a program loads from folders of a machine, for loops, llm() and agent().

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

import { Window } from "happy-dom";
import { describe, expect, it, vi } from "vitest";

import { BasicAgent, convertTool, ModelConfig } from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/index.ts";
import { SkillError, SkillSet } from "#facade/phi/tools/node/index.ts";

import { temporaryFolder } from "../../tools/node/host-place.ts";
import { instance, outline } from "../support/scripted-llm.ts";
import { play, textsOf } from "./support/play.ts";

const skill = (name: string, description: string, body = "Do it.") =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;

/** Writes files into a new folder and returns its path. */
function folderWith(files: Record<string, string | Uint8Array>): string {
  const root = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
  return root;
}

describe("the load of skills", () => {
  it("Skills of several folders are sorted by name, a later folder replaces a skill of an earlier one, and an absent folder is skipped", async () => {
    const first = folderWith({
      "foo/SKILL.md": skill("foo", "The first foo."),
      "zoo/SKILL.md": skill("zoo", '"Quoted: text"'),
      "no-skill/README.md": "Nothing.",
      "file.md": "Nothing.",
    });
    const second = folderWith({
      "foo/SKILL.md": skill("foo", "The second foo."),
      "bar/SKILL.md": skill("bar", "Bar."),
    });
    const { skills } = await SkillSet.load([first, path.join(first, "absent"), second]);
    expect(skills).toEqual([
      {
        name: "bar",
        description: "Bar.",
        file_path: path.join(second, "bar/SKILL.md"),
        base_dir: path.join(second, "bar"),
        source: "dir:2",
      },
      expect.objectContaining({ name: "foo", description: "The second foo.", source: "dir:2" }),
      expect.objectContaining({ name: "zoo", description: "Quoted: text", source: "dir:0" }),
    ]);
  });

  it("loadDir loads one folder with a source, and merge replaces skills with the same names", async () => {
    const one = await SkillSet.loadDir(
      folderWith({ "a/SKILL.md": skill("a", "Old."), "b/SKILL.md": skill("b", "B.") }),
      "x",
    );
    const other = await SkillSet.loadDir(folderWith({ "a/SKILL.md": skill("a", "New.") }), "y");
    expect(one.merge(other).skills.map(({ name, description, source }) => [name, description, source])).toEqual([
      ["a", "New.", "y"],
      ["b", "B.", "x"],
    ]);
    expect(JSON.parse(JSON.stringify(other))).toEqual({ skills: other.skills });
    expect(SkillSet.empty().merge(other).skills).toHaveLength(1);
    await expect(SkillSet.loadDir(path.join(temporaryFolder(), "absent"), "x")).rejects.toMatchObject({ kind: "Io" });
  });

  it.each([
    ["MissingField", "---\ndescription: A skill.\n---\n"],
    ["MissingField", "---\nname: it\n---\n"],
    ["InvalidFrontmatter", "name: it\ndescription: A skill.\n"],
    ["InvalidFrontmatter", "---\nname: it\ndescription: A skill.\n"],
    ["InvalidField", "---\nname: Not A Name\ndescription: A skill.\n---\n"],
    ["InvalidField", "---\nname: other\ndescription: A skill.\n---\n"],
    ["Io", new Uint8Array([0xff, 0xfe, 0x00])],
    ["Io", `${skill("it", "A skill.")}${"x".repeat(256 * 1024)}`],
  ])("A SKILL.md with a mistake of the kind %s is refused with the path of the file", async (kind, content) => {
    const load = SkillSet.load([folderWith({ "it/SKILL.md": content })]);
    await expect(load).rejects.toMatchObject({ kind, message: expect.stringContaining("it/SKILL.md") });
    await expect(load).rejects.toBeInstanceOf(SkillError);
  });

  it("A link that leads out of the folder is refused, also as a file of a skill, and a link within the folder is followed", async () => {
    const outside = folderWith({ "it/SKILL.md": skill("it", "Outside."), "secret.txt": "secret" });
    const linked = temporaryFolder();
    symlinkSync(path.join(outside, "it"), path.join(linked, "it"));
    await expect(SkillSet.load([linked])).rejects.toMatchObject({ kind: "Io" });
    const main = folderWith({ "it/notes.md": "Notes." });
    symlinkSync(path.join(outside, "it/SKILL.md"), path.join(main, "it/SKILL.md"));
    await expect(SkillSet.load([main])).rejects.toMatchObject({ kind: "Io" });
    const inside = folderWith({ "it/SKILL.md": skill("it", "Inside.") });
    symlinkSync(path.join(outside, "secret.txt"), path.join(inside, "it/secret.txt"));
    symlinkSync(path.join(inside, "it/SKILL.md"), path.join(inside, "it/copy.md"));
    const set = await SkillSet.load([inside]);
    const read = (name: string) =>
      set.tool().run({ name: "it", path: name }, { toolCallId: "1", signal: new AbortController().signal });
    await expect(read("secret.txt")).rejects.toThrow("leads out of the folder");
    await expect(read("../it/SKILL.md")).rejects.toThrow("has no file");
    expect(await read("copy.md")).toContain("Do it.");
  });

  it("A folder with more than 200 folders of skills is refused", async () => {
    const root = temporaryFolder();
    for (let index = 0; index <= 200; index += 1) mkdirSync(path.join(root, `s${index}`));
    await expect(SkillSet.load([root])).rejects.toMatchObject({ kind: "Io", message: expect.stringContaining("200") });
  });

  it("A field of a SKILL.md that has no effect is logged, and the skill is loaded", async () => {
    const lines = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const root = folderWith({ "it/SKILL.md": "---\nname: it\ndescription: A skill.\ntriggers: x\n---\n" });
    const { skills } = await SkillSet.load([root]);
    const logged = lines.mock.calls.map(([line]) => String(line));
    lines.mockRestore();
    expect(skills).toHaveLength(1);
    expect(logged.join("\n")).toContain("triggers");
  });
});

describe("skills of an agent", () => {
  it("The list for the prompt is XML with the names in their order, escaped texts and paths, and is empty without skills", async () => {
    const root = folderWith({
      "b/SKILL.md": skill("b", "Second."),
      "a/SKILL.md": skill("a", `'Reads <tags> & "quotes" ]]>'`),
    });
    const text = (await SkillSet.load([root])).formatForPrompt();
    const document = new new Window().DOMParser().parseFromString(text, "text/xml");
    expect(document.querySelector("parsererror")).toBeNull();
    expect(document.documentElement.tagName).toBe("available_skills");
    const fields = [...document.querySelectorAll("skill")].map(({ children }) =>
      Object.fromEntries([...children].map(({ tagName, textContent }) => [tagName, textContent])),
    );
    expect(fields).toEqual([
      { name: "a", description: 'Reads <tags> & "quotes" ]]>', location: path.join(root, "a/SKILL.md") },
      { name: "b", description: "Second.", location: path.join(root, "b/SKILL.md") },
    ]);
    expect(SkillSet.empty().formatForPrompt()).toBe("");
  });

  it("withSkills adds the list to the system prompt, which is sent, and an empty set changes nothing", async () => {
    const set = await SkillSet.load([folderWith({ "it/SKILL.md": skill("it", "A skill.") })]);
    const provider = new MockProvider(["Hi."]);
    const requested = new BasicAgent(ModelConfig.anthropic("mock-model", "Mock", "key"))
      .withSystemPrompt("You are brief.")
      .withSkills(SkillSet.empty())
      .withProviderOverride(provider);
    expect(requested.systemPrompt).toBe("You are brief.");
    await requested.withSkills(set).prompt("Hello.").done;
    expect(provider.requests[0]?.system_prompt).toBe(`You are brief.\n\n${set.formatForPrompt()}`);
  });

  it("A loop and llm() read a skill and its further files with the tool read_skill", async () => {
    const root = folderWith({
      "it/SKILL.md": skill("it", "A skill.", "Read the notes."),
      "it/references/notes.md": "The notes.",
    });
    const set = await SkillSet.load([root]);
    const calls = [
      { name: "read_skill", arguments: { name: "it" } },
      { name: "read_skill", arguments: { name: "it", path: "references/notes.md" } },
      { name: "read_skill", arguments: { name: "none" } },
      { name: "read_skill", arguments: { name: 1 } },
    ];
    const { returned } = await play({
      answers: [{ tool_calls: calls }, { text: "Done." }],
      tools: [convertTool(set.tool())],
    });
    const [main, notes, absent, wrong] = textsOf(returned.filter(({ role }) => role === "toolResult"));
    expect(main).toMatch(/^toolResult: ---\nname: it.*Read the notes\..*references\/notes\.md/s);
    expect(notes).toContain("The notes.");
    expect(absent).toContain('error: There is no skill "none". The skills are: it.');
    expect(wrong).toContain("error: The arguments are invalid");
    const script = [{ toolCalls: [{ name: "read_skill", arguments: { name: "it" } }] }, { text: "Done." }];
    const turn = await instance(script, { system: set.formatForPrompt(), tools: [set.tool()] }).generate("Go.");
    expect(outline(turn.messages).join("\n")).toContain("Read the notes.");
  });
});
