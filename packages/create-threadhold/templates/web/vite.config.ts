import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// `npm run dev` builds the page and serves it with the Worker. `npm run dev:web` serves the page alone, with hot reload, while `npm run
// dev` runs in another terminal.
export default defineConfig({
  root: "web",
  plugins: [react()],
  build: { outDir: "../dist", emptyOutDir: true },
  server: { host: "localhost", proxy: { "/api": { target: "http://localhost:8787", ws: true } } },
});
