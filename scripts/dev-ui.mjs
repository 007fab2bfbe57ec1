// `npm run dev:ui`: the playground with hot reload, in front of a Worker that `npm run dev` serves.

import { ensureInstall } from "./ensure-install.mjs";

const help = `Usage: npm run dev:ui -- [options]

Serves playground/ with hot reload, and passes /api, /healthz and sockets on to a running \`npm run dev\`.

  --port N            listen on port N (default 5173)
  --worker URL        the Worker (default http://localhost:8787)
  --help              this text
`;

function readArguments(args) {
  const values = { "--port": "5173", "--worker": "http://localhost:8787" };
  for (let at = 0; at < args.length; at += 2) {
    const [name = "", value] = args.slice(at, at + 2);
    if (name === "--help" || name === "-h") return null;
    if (!(name in values) || value === undefined) throw new Error(`${name} is not known, or needs a value.\n\n${help}`);
    values[name] = value;
  }
  const port = Number(values["--port"]);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`--port ${values["--port"]} is no port number.`);
  if (!URL.canParse(values["--worker"])) throw new Error(`--worker ${values["--worker"]} is no URL.`);
  return { port, worker: new URL(values["--worker"]).origin };
}

let options;
try {
  options = readArguments(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
if (options === null) {
  console.log(help);
  process.exit(0);
}
await ensureInstall();
const [{ createServer }, { uiConfig }] = await Promise.all([import("vite"), import("./lib/ui-vite.mjs")]);
const server = await createServer(uiConfig(options));
await server.listen();
const healthy = await fetch(`${options.worker}/healthz`).then(
  (answer) => answer.ok,
  () => false,
);
console.log(
  `\nThe playground, with hot reload: ${server.resolvedUrls?.local[0] ?? `http://localhost:${options.port}`}`,
);
if (!healthy) console.log(`No Worker answers at ${options.worker}. Start one beside this: npm run dev`);
