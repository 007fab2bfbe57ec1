// `threadhold models test`: tries the models of a project and prints what worked, how fast, and what it cost.

import { join } from "node:path";

import type { Command } from "commander";

import type { Project } from "#compiler/project.ts";
import { closestWord } from "#lib/edit-distance.ts";
import { bindingOf, isScripted, notReadyMessage, readiness } from "#models/readiness.ts";
import type { Trial } from "#models/trial/model-trial.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { CommandError, projectFolder, type CliContext, type ExitCode } from "../context.ts";
import { localVariables } from "../dev/local-access.ts";
import { readWranglerProject } from "../doctor/wrangler-package.ts";

interface TestOptions {
  root: string;
  env?: string;
  json?: boolean;
}

/** A model with its trials; `problem` is the reason why it was not tried. */
interface TestedModel {
  name: string;
  provider: string;
  model: string;
  problem: string | null;
  trials: Trial[];
}

export function addModelsCommand(program: Command, context: CliContext, end: (code: ExitCode) => void): void {
  program
    .command("models")
    .description("Try the models of the project.")
    .command("test")
    .description(
      "Send one small request with a text, with a tool and with a picture to each model, and print what worked, how fast, and what it cost.",
    )
    .argument("[name]", "one model; default: all that have a key")
    .option("--root <folder>", "the folder that contains agents/", ".")
    .option("-e, --env <name>", "an environment of the wrangler configuration (default: CLOUDFLARE_ENV)")
    .option("--json", "print the results as JSON")
    .action(async (name: string | undefined, options: TestOptions) => end(await testModels(name, options, context)));
}

async function testModels(name: string | undefined, options: TestOptions, context: CliContext): Promise<ExitCode> {
  const root = projectFolder(context, options.root);
  const worker = readWranglerProject(root, { environment: options.env });
  const file = join(root, "wrangler.toml");
  const none = { file, environment: options.env, config: { vars: {} } };
  const variables = localVariables("wrangler" in worker ? worker : none);
  // Imported here, so that the other commands start without the bundler and the providers.
  const { compileProject } = await import("#compiler/compile.ts");
  const { project } = await compileProject(root, context.packageRoot);
  const chosen = namedModels(project, name);
  const { modelTester } = await import("#models/trial/model-tester.ts");
  const test = modelTester(project, { variables, fetch: context.fetch ?? fetch });
  const tested: TestedModel[] = [];
  for (const definition of chosen) {
    const { value } = definition;
    const isReady = readiness(value, variables).ready;
    const problem = isReady ? null : reasonOf(value, variables);
    // One request after the other: small accounts allow few at the same time.
    const result = {
      name: value.name,
      provider: value.preset ?? value.provider,
      model: value.model,
      problem,
      trials: isReady ? await test(definition) : [],
    };
    tested.push(result);
    if (options.json !== true) for (const line of linesOf(result)) context.print(line);
  }
  if (options.json === true) context.print(JSON.stringify(tested));
  else if (chosen.length === 0) context.print("There is no model to try: all answers are scripted.");
  const isMissing = name !== undefined && tested.some(({ problem }) => problem !== null);
  return isMissing || tested.some(({ trials }) => trials.some(({ ok }) => !ok)) ? 1 : 0;
}

/** Why a model is not tried. */
function reasonOf(model: AnyModelDefinition, variables: Record<string, unknown>): string {
  if (bindingOf(model) === null) return notReadyMessage(model, variables);
  return `Model "${model.name}" is reached by a binding, which only a Worker has. Try it in a conversation with npx threadhold dev.`;
}

/** The model of this name, or all whose answers are not scripted. */
function namedModels({ models }: Project, name: string | undefined): Project["models"] {
  if (name === undefined) return models.filter(({ value }) => !isScripted(value));
  const found = models.filter((model) => model.name === name);
  if (found.length > 0) return found;
  const names = models.map((model) => model.name);
  const meant = closestWord(name, names);
  throw new CommandError(
    `There is no model "${name}". ${meant === undefined ? `The models are ${names.join(", ") || "none"}.` : `Did you mean "${meant}"?`}`,
  );
}

function linesOf({ name, provider, model, problem, trials }: TestedModel): string[] {
  const heading = `${name} (${provider} ${model})`;
  if (problem !== null) return [heading, `  not tried  ${problem}`];
  return [heading, ...trials.flatMap(trialLines)];
}

function trialLines({ kind, ok, detail, fix, duration_ms: milliseconds, tokens, cost }: Trial): string[] {
  const facts = [
    `${(milliseconds / 1000).toFixed(1)} s`,
    ...(tokens === null ? [] : [`${String(tokens.input)} + ${String(tokens.output)} tokens`]),
    ...(tokens === null ? [] : [cost === null ? "cost not known" : `$${cost.toFixed(6)}`]),
  ];
  const line = `  ${kind.padEnd(8)} ${ok ? "ok" : "failed"}  ${facts.join(", ")}. ${detail}`;
  return fix === null ? [line] : [line, `           ${fix}`];
}
