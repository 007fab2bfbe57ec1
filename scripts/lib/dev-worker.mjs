// Runs wrangler's local server in its own process, without the inspector. Wrangler's command line has no option to turn the inspector
// off. The inspector forwards each debugger message by a separate request, so a model's answer of a thousand pieces at once would
// crash the server.

import { unstable_startWorker as startWorker } from "wrangler";

const { config, ip, port, stateFolder, variables } = JSON.parse(process.argv[2] ?? "{}");

const worker = await startWorker({
  config,
  build: {
    nodejsCompatMode: (read) => (read.compatibility_flags?.includes("nodejs_compat") ? "v2" : null),
  },
  bindings: Object.fromEntries(variables.map(([name, value]) => [name, { type: "plain_text", value }])),
  dev: {
    inspector: false,
    persist: stateFolder,
    server: { hostname: ip, port },
    watch: true,
  },
});

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.once(signal, () => {
    worker.dispose().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
