// Serves the example pages in front of a running Worker: node examples/serve.mjs [address of the Worker]

import { fileURLToPath } from "node:url";

import react from "@vitejs/plugin-react";
import { createServer } from "vite";

const folder = fileURLToPath(new URL(".", import.meta.url));
const pages = ["ai-sdk-chat/index.html", "ai-sdk-chat/use-chat.html", "assistant-ui/index.html"];

/**
 * How Vite builds and serves the pages. Requests to the API go to the Worker.
 *
 * @param {string} worker
 * @returns {import("vite").InlineConfig}
 */
export function examplePages(worker) {
  const proxy = { "/api": { target: worker, changeOrigin: true, ws: true } };
  return {
    configFile: false,
    root: folder,
    plugins: [react()],
    cacheDir: fileURLToPath(new URL("../node_modules/.cache/vite-examples", import.meta.url)),
    build: { rolldownOptions: { input: pages.map((page) => `${folder}${page}`) }, chunkSizeWarningLimit: 2000 },
    server: { host: "localhost", port: 5174, proxy },
    preview: { host: "localhost", port: 0, proxy },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await createServer(examplePages(process.argv[2] ?? "http://localhost:8787"));
  await server.listen();
  for (const page of pages) console.log(`${server.resolvedUrls?.local[0] ?? ""}${page.replace("index.html", "")}`);
}
