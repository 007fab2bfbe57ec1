// `threadhold new`: creates the file of a definition and prints the next steps.

import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { Argument, type Command } from "commander";

import type { Project } from "#compiler/project.ts";
import { readiness } from "#models/readiness.ts";

import { CommandError, projectFolder, type CliContext, type ExitCode } from "../context.ts";
import { chooseModel } from "./catalogue-model.ts";
import { hookNames, kindFolders, starters, type Kind, type NamedFile, type Neighbours } from "./starters.ts";

interface NewOptions {
  json?: boolean;
  provider?: string;
  model?: string;
}

/** A checkout writes all files within this time. A file that is newer than the oldest file by more than that was written by hand. */
const checkoutMs = 60_000;

export function addNewCommand(program: Command, context: CliContext, end: (code: ExitCode) => void): void {
  program
    .command("new")
    .description("Create the file of a definition in agents/.")
    .addArgument(new Argument("<kind>", "the kind of the definition").choices(Object.keys(kindFolders)))
    .argument("<name>", "its name; for a hook the name of the hook; for api a route such as threads/[id]/status.get")
    .option("--root <folder>", "the folder that contains agents/", ".")
    .option(
      "--provider <provider>",
      "of a model: its provider, or a preset of openai-compatible; a terminal asks for it",
    )
    .option("--model <id>", "of a model: the provider's id, which a terminal searches in the catalogue")
    .option("--json", "print the result as one line of JSON")
    .action(async (kind: Kind, name: string, { root, ...options }: NewOptions & { root: string }) => {
      end(await createDefinition(kind, name, { root: projectFolder(context, root), options, context }));
    });
}

async function createDefinition(
  kind: Kind,
  given: string,
  { root, options, context }: { root: string; options: NewOptions; context: CliContext },
): Promise<ExitCode> {
  const { json = false, provider, model } = options;
  if (kind !== "model" && (provider ?? model) !== undefined)
    throw new CommandError(`--provider and --model are for models. Leave them out for a ${kind}.`);
  const name = kind === "api" ? given.replaceAll(/^\/+|\.ts$/g, "") : given;
  const problem = nameProblem(kind, name);
  if (problem !== undefined) throw new CommandError(problem);
  const file = `agents/${kindFolders[kind]}/${name}${kind === "skill" ? "/SKILL.md" : ".ts"}`;
  const path = join(root, file);
  if (existsSync(path)) throw new CommandError(`${file} exists already.`);
  // Imported here, so that the other commands start without the bundler.
  const { compileProject } = await import("#compiler/compile.ts");
  const { project } = await compileProject(root, context.packageRoot);
  const taken = namedDefinitions(project, kind).find((definition) => definition.name === name);
  if (taken) throw new CommandError(`${taken.file} has the name "${name}" already.`);
  const terminal = json ? undefined : context.terminal;
  const chosen =
    kind === "model" ? await chooseModel(name, { provider, model, own: project.providers }, terminal) : null;
  const starter = starters[kind](name, neighbours(project, name, root));
  const { next, uses, missing } = starter;
  const text = chosen?.text ?? starter.text;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: "wx" });
  if (json) {
    const used = uses === undefined ? null : { name: uses.name, file: uses.file };
    context.print(JSON.stringify({ ok: true, file, uses: used, missing: missing ?? null, next }));
    return 0;
  }
  context.print(`wrote ${file}`);
  for (const line of chosen?.about ?? []) context.print(line);
  if (uses) context.print(`it uses "${uses.name}" of ${uses.file}`);
  context.print(missing === undefined ? `next: ${next}` : `first: ${missing}\nthen: ${next}`);
  return 0;
}

/** The reason why a name cannot be used. */
function nameProblem(kind: Kind, name: string): string | undefined {
  if (kind === "hook") {
    return hookNames.includes(name) ? undefined : `There is no hook "${name}". The hooks are ${hookNames.join(", ")}.`;
  }
  if (kind === "api") {
    const valid = name
      .split("/")
      .every((part) => /^(?!\.\.?$)(?:\[(?:\.\.\.)?\w+\])?[\w.~-]*$/.test(part) && part !== "");
    return valid ? undefined : `"${name}" is not a route. Write segments, [params] and [...rest], separated by /.`;
  }
  if (kind === "skill") {
    return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= 64
      ? undefined
      : `"${name}" is not the name of a skill. It has a-z, 0-9 and single hyphens, and at most 64 characters.`;
  }
  return /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name)
    ? undefined
    : `"${name}" is not a name. A name has letters, digits, _ and -, starts with a letter or _, and has at most 64 characters.`;
}

function namedDefinitions(project: Project, kind: Kind): readonly NamedFile[] {
  if (kind === "model") return project.models;
  if (kind === "provider") return project.providers;
  if (kind === "prompt") return project.prompts;
  if (kind === "agent") return project.agents;
  if (kind === "strategy") return project.strategies;
  if (kind === "mcp") return project.sources.mcp;
  if (kind === "openapi") return project.sources.openapi;
  return kind === "tool" ? project.tools : [];
}

/** The newest model that was written by hand, else the newest that needs no key; the prompt with the same name, else the newest. */
function neighbours(project: Project, name: string, root: string): Neighbours {
  const writtenAt = ({ file }: NamedFile): number => statSync(join(root, file)).mtimeMs;
  const oldest = Math.min(...[project.models, project.prompts, project.agents, project.tools].flat().map(writtenAt));
  const byHand = (definition: NamedFile): boolean => writtenAt(definition) > oldest + checkoutMs;
  function newestFirst<Definition extends NamedFile>(definitions: readonly Definition[]): Definition[] {
    const sorted = definitions.toSorted((one, other) => writtenAt(other) - writtenAt(one));
    const own = sorted.filter(byHand);
    return own.length > 0 ? own : sorted;
  }
  const models = newestFirst(project.models);
  const keyless = models.some(byHand) ? undefined : models.find(({ value }) => readiness(value, {}).ready);
  const model = keyless ?? models[0];
  const prompt = project.prompts.find((each) => each.name === name) ?? newestFirst(project.prompts)[0];
  return { ...(model && { model }), ...(prompt && { prompt }) };
}
