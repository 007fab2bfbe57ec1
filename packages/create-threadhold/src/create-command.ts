// The command `create-threadhold`: reads its arguments, asks for what is missing, and creates a project.

import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";

import { Command, CommanderError, Option } from "commander";

import { defaults, nameProblem, namedChoice, providers, templates, type Choices } from "./choices.ts";
import { CreateError, type CreateContext, type ExitCode } from "./context.ts";
import { projectFiles, type ProjectSource } from "./project-files.ts";
import { createRepository, currentPackageManager, installPackages, type PackageManager } from "./run-tools.ts";
import { shellArgument, shownPath } from "./shown-path.ts";
import { assertUsable, writeProject } from "./write-project.ts";

const packageRoot = fileURLToPath(new URL("..", import.meta.url));

interface Options {
  template?: string;
  provider?: string;
  yes?: boolean;
  threadhold?: string;
  repository?: string;
  packageManager?: PackageManager;
  install: boolean;
  git: boolean;
  json?: boolean;
}

/** Runs the command and returns its exit code. Prints errors and does not throw them. */
export async function runCreate(argv: readonly string[], context: CreateContext): Promise<ExitCode> {
  let code: ExitCode = 0;
  // With --json a program reads standard output, so an error is a line of JSON there.
  const json = argv.includes("--json");
  const program = createProgram(json ? { ...context, errors: new PassThrough().resume() } : context).action(
    async (folder: string | undefined, options: Options) => {
      code = await createProject(folder, options, context);
    },
  );
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (json) {
      const message = (error instanceof Error ? error.message : String(error)).replace(/^error: /, "");
      context.output.write(`${JSON.stringify({ ok: false, error: message })}\n`);
      return 2;
    }
    if (error instanceof CommanderError) return 2;
    const text = error instanceof CreateError || !(error instanceof Error) ? String(error) : (error.stack ?? "");
    context.errors.write(`${text.replace(/^CreateError: /, "")}\n`);
    return 2;
  }
}

/** The command line. */
export function createProgram({ output, errors }: Pick<CreateContext, "output" | "errors">): Command {
  const listed = (choices: Record<string, { description: string }>): string =>
    Object.entries(choices)
      .map(([name, { description }]) => `${name} (${description})`)
      .join(", ");
  return new Command("create-threadhold")
    .description("Create a project with durable AI-agent threads on Cloudflare Workers.")
    .argument("[folder]", "the folder to create; its last part is the name of the project")
    .option("--template <name>", listed(templates))
    .option("--provider <name>", listed(providers))
    .option("--yes", `ask nothing: ${defaults.folder}, ${defaults.template} and ${defaults.provider} are the defaults`)
    .option(
      "--threadhold <version or folder>",
      "the version of threadhold, or the folder of the packages of a clone, which are copied into the project",
    )
    .option(
      "--repository <url>",
      "the public address of the project, for the Deploy to Cloudflare button in its README.md",
    )
    .addOption(
      new Option("--package-manager <name>", "the default is the one that runs this command").choices(["npm", "pnpm"]),
    )
    .option("--no-install", "do not install the packages")
    .option("--no-git", "do not create a Git repository")
    .option("--json", "print the result as one line of JSON")
    .version(ownVersion(), "--version", "print the version")
    .helpOption("--help", "print this help")
    .allowExcessArguments(false)
    .showHelpAfterError("Run the command with --help to see its options.")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: (text) => errors.write(text),
    });
}

async function createProject(given: string | undefined, options: Options, context: CreateContext): Promise<ExitCode> {
  const { cwd, env } = context;
  // With --json standard output has the result alone.
  const messages = options.json === true ? context.errors : context.output;
  const source = {
    threadhold: threadholdSource(options.threadhold, cwd),
    repository: options.repository === undefined ? undefined : repositoryAddress(options.repository),
  };
  const choices = await complete(
    {
      ...(given !== undefined && { folder: given }),
      ...(options.template !== undefined && { template: namedChoice("template", options.template, templates) }),
      ...(options.provider !== undefined && { provider: namedChoice("provider", options.provider, providers) }),
    },
    options,
    context,
  );
  const folder = path.resolve(cwd, choices.folder);
  const problem = folderProblem(folder);
  if (problem !== undefined) throw new CreateError(problem);
  const { template, provider, values } = choices;
  const name = path.basename(folder);
  const templatesFolder = path.join(packageRoot, "templates");
  writeProject(folder, projectFiles({ templatesFolder, name, template, provider, values, ...source }));

  const git = options.git && createRepository(folder, env);
  const packageManager = options.packageManager ?? currentPackageManager(env);
  const installed =
    options.install &&
    (await installPackages(packageManager, { folder, env, print: (chunk) => messages.write(chunk) }));
  const isUnfinished = options.install && !installed;
  const shown = path.relative(cwd, folder) || ".";
  const next = nextSteps({
    shown,
    packageManager,
    installed,
    missing: providers[provider].variables.map((variable) => variable.name).filter((variable) => !(variable in values)),
    bound: providers[provider].binding !== undefined,
  });
  if (isUnfinished) {
    context.errors.write(
      `The project is in ${shownPath(folder)}, but its packages could not be installed. Run \`${packageManager} install\` there when the network is available.\n`,
    );
  }
  if (options.json === true) {
    const result = {
      ok: !isUnfinished,
      folder,
      name,
      template,
      provider,
      package_manager: packageManager,
      installed,
      git,
      next,
    };
    context.output.write(`${JSON.stringify(result)}\n`);
  } else {
    context.output.write(
      `\nCreated ${name} in ${shownPath(folder)}\n\nNext:\n${next.map((step) => `  ${step}\n`).join("")}`,
    );
  }
  return isUnfinished ? 1 : 0;
}

/** Adds the choices that are missing: by questions, or with --yes by defaults. */
async function complete(given: Partial<Choices>, { yes, json }: Options, context: CreateContext): Promise<Choices> {
  const { folder, template, provider } = given;
  if (yes === true) return { ...defaults, ...given };
  if (folder !== undefined && template !== undefined && provider !== undefined)
    return { ...defaults, folder, template, provider };
  const { input, output } = context;
  if (input.isTTY !== true || output.isTTY !== true || json === true) {
    throw new CreateError(
      "There is no terminal for questions. Name the folder, --template and --provider, or add --yes for the defaults: " +
        `create-threadhold ${defaults.folder} --template ${defaults.template} --provider ${defaults.provider}`,
    );
  }
  // Imported here, so that a command line without questions starts faster.
  const { askChoices } = await import("./questions.ts");
  return askChoices(given, { input, output }, (named) => folderProblem(path.resolve(context.cwd, named)));
}

/** Why no project works at this place; undefined if it does. Git and package managers own the folders with these names. */
function placeProblem(folder: string): string | undefined {
  const owned = folder.split(path.sep).find((part) => /^(?:\.git|node_modules)$/i.test(part));
  if (owned === undefined) return undefined;
  return `${shownPath(folder)} is inside of a folder ${owned}. Choose a folder outside of it.`;
}

/** Why a project cannot be created in a folder; undefined if it can. */
function folderProblem(folder: string): string | undefined {
  const problem = nameProblem(path.basename(folder)) ?? placeProblem(folder);
  if (problem !== undefined) return problem;
  try {
    assertUsable(folder);
    return undefined;
  } catch (error) {
    if (error instanceof CreateError) return error.message;
    throw error;
  }
}

/** The packages whose tarballs `npm run pack` of a clone writes, by the beginning of the files' names. */
const packedPackages = {
  threadhold: "threadhold",
  "@threadhold/client": "threadhold-client",
  "@threadhold/cli": "threadhold-cli",
};

function threadholdSource(given: string | undefined, cwd: string): ProjectSource["threadhold"] {
  if (given === undefined || /^(?:[~^]?\d+\.\d+\.\d+[\w.+-]*|[a-z][a-z-]*)$/.test(given)) return given;
  const folder = path.resolve(cwd, given);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new CreateError(
      `"${given}" is neither a version of threadhold, such as 0.1.0, nor a folder with its packages, such as ./artifacts/packages.`,
    );
  }
  const version = ownVersion();
  const tarballs = Object.entries(packedPackages).map(([name, file]) => {
    const tarball = path.join(folder, `${file}-${version}.tgz`);
    if (statSync(tarball, { throwIfNoEntry: false })?.isFile() === true) return [name, tarball] as const;
    throw new CreateError(`There is no file ${tarball}. npm run pack in a clone of threadhold writes it.`);
  });
  return { tarballs: Object.fromEntries(tarballs) };
}

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(path.join(packageRoot, "package.json"), "utf8")) as { version: string };
  return version;
}

/** Checks the address of a repository. Cloudflare's button accepts only repositories of GitHub and GitLab. */
function repositoryAddress(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isKnown = url?.host === "github.com" || url?.host === "gitlab.com";
  // The address becomes a part of files that are published, so it may not contain credentials.
  const isPlain = url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (url?.protocol === "https:" && isKnown && isPlain && /^(?:\/[\w.-]+){2,}\/?$/.test(url.pathname)) return url.href;
  const shown = given.replace(/\/\/[^/]*@/, "//");
  throw new CreateError(
    `"${shown}" is not the plain address of a public repository, such as https://github.com/owner/name or https://gitlab.com/owner/name.`,
  );
}

interface NextSteps {
  shown: string;
  packageManager: PackageManager;
  installed: boolean;
  /** The variables of the provider that have no value. */
  missing: readonly string[];
  /** The model is reached by a binding. */
  bound: boolean;
}

/** The command that opens a folder; the name of the folder, if no command can show it. */
function openFolder(shown: string): string {
  const argument = shellArgument(shown.startsWith("-") ? `./${shown}` : shown);
  return argument === undefined ? `open the folder ${shownPath(shown)}` : `cd ${argument}`;
}

function nextSteps({ shown, packageManager, installed, missing, bound }: NextSteps): string[] {
  return [
    ...(shown === "." ? [] : [openFolder(shown)]),
    ...(installed ? [] : [`${packageManager} install`]),
    ...(missing.length === 0 ? [] : [`write into .dev.vars: ${missing.map((name) => `${name}=…`).join(", ")}`]),
    ...(bound
      ? [
          "npx wrangler login, because the binding AI sends requests to your account; or use --provider none, a scripted model",
        ]
      : []),
    `${packageManager} run dev`,
  ];
}
