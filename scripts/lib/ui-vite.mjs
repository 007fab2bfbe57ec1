// How the playground is built and served in development, for every script that does either.

import react from "@vitejs/plugin-react";
import { createLogger } from "vite";

import { fromRoot } from "./paths.mjs";

/** A logger without one known warning of Vite about its own handling of CSS modules. It has no effect on this project's CSS. */
function quietLogger(level) {
  const logger = createLogger(level);
  const known = (text) => text.includes("did not pass the `from` option to `postcss.parse`");
  return {
    ...logger,
    warn: (text, options) => void (known(text) || logger.warn(text, options)),
    warnOnce: (text, options) => void (known(text) || logger.warnOnce(text, options)),
  };
}

/** KaTeX's stylesheet names each font in three formats. Every browser that the playground supports reads the first, WOFF2. */
const oneFontFormat = {
  name: "one-font-format",
  enforce: "pre",
  transform: (code, id) =>
    /\/katex[^/]*\.css$/.test(id) ? code.replace(/,url\([^)]*\) format\("(?:woff|truetype)"\)/g, "") : undefined,
};

/**
 * @param {{ outDir?: string, port?: number, worker?: string }} options where the build goes; where the development server listens
 *   and which Worker it asks
 * @returns {import("vite").InlineConfig}
 */
export function uiConfig({ outDir, port, worker }) {
  const logLevel = worker === undefined ? "warn" : "info";
  return {
    configFile: false,
    root: fromRoot("playground"),
    base: "/",
    // Packages that look at this are built for production unless they are served by the development server.
    mode: worker === undefined ? "production" : "development",
    logLevel,
    customLogger: quietLogger(logLevel),
    plugins: [react(), oneFontFormat],
    css: { modules: { localsConvention: "camelCaseOnly" } },
    build: {
      ...(outDir === undefined ? {} : { outDir }),
      emptyOutDir: true,
      target: "es2023",
      // Everything that may be kept for ever lies here; what is small is a file as well, since the policy knows no data: scripts.
      assetsDir: "assets",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // What the first load may weigh is checked by scripts/ui-size.mjs.
      chunkSizeWarningLimit: 2000,
      manifest: "manifest.json",
    },
    ...(worker === undefined
      ? {}
      : {
          cacheDir: fromRoot("node_modules/.cache/vite-ui"),
          server: {
            host: "localhost",
            port: port ?? 5173,
            // Beside what Vite keeps to itself: the keys of providers, and what the Worker stored.
            fs: {
              allow: [fromRoot("playground"), fromRoot("src"), fromRoot("node_modules")],
              deny: [".env", ".env.*", "*.{crt,pem}", "**/.git/**", ".dev.vars", ".dev.vars.*", "**/.wrangler/**"],
            },
            proxy: {
              // The Worker refuses foreign origins, and this one's port is another: it is told the Worker's own for
              // pages that come from here, and the truth for all others.
              "^/(api|healthz)(/|$|\\?)": {
                target: worker,
                changeOrigin: true,
                ws: true,
                configure(proxy) {
                  const translate = (sent, { headers }) => {
                    if (headers.origin === `http://${headers.host}`) sent.setHeader("origin", worker);
                  };
                  proxy.on("proxyReq", translate);
                  proxy.on("proxyReqWs", translate);
                },
              },
            },
          },
        }),
  };
}
