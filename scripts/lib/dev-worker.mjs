// The local server, in a process of its own: wrangler's, without its inspector. Wrangler's command line cannot leave the inspector
// out, which passes each message of the debugger on by a request of its own: a model's answer that comes in a thousand pieces at
// once ends the server.

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
