// `npm run dev`: from a fresh clone to a running server in one command. Installs what is missing, compiles agents/,
// brings the local catalog up to date and serves everything on one URL until it is told to stop.

import { ensureInstall } from "./ensure-install.mjs";
import { applyCatalogMigrations } from "./lib/catalog-migrations.mjs";
import { agentsCompiled, compileAgents } from "./lib/compile-agents.mjs";
import { parseDevArguments } from "./lib/dev-arguments.mjs";
import { isPortFree, nextFreePort } from "./lib/free-port.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { plainLine } from "./lib/plain-line.mjs";
import { startGroup } from "./lib/process-group.mjs";
import { passOnLines } from "./lib/quiet-lines.mjs";
import { withSourcePlaces } from "./lib/source-stack.mjs";
import { lockState } from "./lib/state-lock.mjs";
import { tools, wranglerEnvironment } from "./lib/tools.mjs";
import { buildUi } from "./lib/ui-build.mjs";
import { waitUntilHealthy } from "./lib/wait-until-healthy.mjs";

const defaultPort = 8787;

const help = `Usage: npm run dev -- [options]

Serves the definitions in agents/ on this machine. No account, key or container is needed.

  --port N            listen on port N (default ${defaultPort}, or the next free one)
  --persist-to DIR    keep threads and the catalog in DIR (default .wrangler/state)
  --var NAME:VALUE    set a variable; .dev.vars.example names them all
  --ip ADDRESS        listen on ADDRESS (default localhost)
  --config FILE       another wrangler configuration
  --json              print the Worker's log as the JSON lines that it writes
  --inspect           serve with wrangler's inspector, for a debugger; bursts of events may then overload the server
  --help              this text

Any other option is one of \`wrangler dev\`, whose command line then serves, with its inspector.
`;

/** @returns {never} */
function fail(message, code = 1) {
  console.error(message);
  process.exit(code);
}

function readArguments() {
  try {
    return parseDevArguments(process.argv.slice(2), process.cwd());
  } catch (error) {
    return fail(error.message);
  }
}

async function chooseFreePort() {
  const port = await nextFreePort(defaultPort);
  if (port !== defaultPort) console.log(`Port ${defaultPort} is taken, so this is on ${port}.`);
  return port;
}

async function prepare(options) {
  const compiled = await compileAgents();
  // With an earlier good build the server can start; the compiler has said what is wrong and watches for the cure.
  if (compiled !== 0 && !agentsCompiled()) fail("The definitions in agents/ could not be compiled.", compiled);
  await prepareUi();
  const migrated = await applyCatalogMigrations(options.stateFolder, configuration);
  if (migrated.code !== 0) fail(`${migrated.output}\nThe catalog's migrations could not be applied.`, migrated.code);
}

/** The API is served also where its pages cannot be built. */
async function prepareUi() {
  try {
    await buildUi();
  } catch (error) {
    console.error(`The playground could not be built, so the one before is served, if any.\n${error.message}`);
  }
}

function greet(url) {
  console.log(`
Threadhold is ready on ${url}

  Open ${url} in a browser for the playground, ${url}/docs for the API, or ask it:

  curl ${url}/healthz
  curl ${url}/api/agents
  curl -X POST ${url}/api/threads -H 'content-type: application/json' -d '{"agent_id":"NAME"}'

Pages of this machine may call it from any port; ALLOWED_ORIGINS admits others.
Changes under agents/ are served at once. Ctrl-C stops.
`);
}

/** The server's program and its arguments. */
function serverCommand() {
  if (options.rest.length === 0 && !options.inspect) {
    const { config, ip, stateFolder, variables } = options;
    return [fromRoot("scripts/lib/dev-worker.mjs"), JSON.stringify({ config, ip, port, stateFolder, variables })];
  }
  return [
    fromRoot(tools.wrangler),
    "dev",
    "--port",
    String(port),
    ...(options.ip === undefined ? [] : ["--ip", options.ip]),
    "--persist-to",
    options.stateFolder,
    "--show-interactive-dev-session=false",
    ...configuration,
    ...options.variables.flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    ...options.rest,
  ];
}

let greeted = false;
const options = readArguments();
if (options.help) {
  console.log(help);
  process.exit(0);
}
await ensureInstall();

const lock = lockState(options.stateFolder);
if ("heldBy" in lock) {
  fail(
    `Another server (pid ${lock.heldBy}) uses ${options.stateFolder}.\n` +
      "Stop it, or give this one a folder of its own: npm run dev -- --persist-to DIR",
  );
}
process.on("exit", lock.release);

if (options.port !== undefined && !(await isPortFree(options.port))) fail(`Port ${options.port} is taken.`);
const configuration = options.config === undefined ? [] : ["--config", options.config];
await prepare(options);
const port = options.port ?? (await chooseFreePort());
// Wrangler's explorer, under /cdn-cgi, answers before the Worker: it takes any SQL for all data and asks for no credentials.
const environment = { ...wranglerEnvironment, X_LOCAL_EXPLORER: "false" };
const server = startGroup(process.execPath, serverCommand(), environment);
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => server.signal(signal));
}
const coloured = (stream) => process.env.NO_COLOR === undefined && (stream.isTTY || process.env.FORCE_COLOR === "1");
/** Passes the server's output on, line by line in readable form. */
function pass(from, to) {
  const readable = (line) => {
    const placed = withSourcePlaces(line);
    return options.json ? placed : plainLine(placed, coloured(to));
  };
  passOnLines(from, (line) => to.write(`${readable(line)}\n`), { starting: () => !greeted });
}
pass(server.stdout, process.stdout);
pass(server.stderr, process.stderr);

const url = `http://${options.ip ?? "localhost"}:${port}`;
const stopped = new AbortController();
void waitUntilHealthy(`${url}/healthz`, stopped.signal).then((healthy) => {
  if (healthy) greet(url);
  greeted = healthy;
});

const code = await server.ended;
stopped.abort();
process.exit(code);
