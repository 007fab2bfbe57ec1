// The Vite configuration of the playground, for builds and for the development server.

import path from "node:path";

import react from "@vitejs/plugin-react";
import { createLogger } from "vite";

import { licenseTexts } from "./pack/licenses.mjs";
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

/** Adds the licences of the packages and fonts in the build, since the minified files have no comments. */
const licenseFile = {
  name: "license-file",
  generateBundle(_options, bundle) {
    const ids = Object.values(bundle).flatMap((output) =>
      output.type === "chunk" ? Object.keys(output.modules) : output.originalFileNames,
    );
    const files = ids.map((id) => path.resolve(fromRoot("playground"), id.replace("\0", "")));
    this.emitFile({ type: "asset", fileName: "THIRD-PARTY-LICENSES.txt", source: licenseTexts(files) });
  },
};

/**
 * @param {{ outDir?: string, port?: number, worker?: string }} options the folder of a build; the port of the development server, and
 *   the address of the Worker that answers its requests
 * @returns {import("vite").InlineConfig}
 */
export function uiConfig({ outDir, port, worker }) {
  const logLevel = worker === undefined ? "warn" : "info";
  return {
    configFile: false,
    root: fromRoot("playground"),
    // The Worker writes the path of the pages into the document. Files refer to each other by relative addresses.
    base: worker === undefined ? "./" : "/",
    // Some packages check the mode and choose their production build.
    mode: worker === undefined ? "production" : "development",
    logLevel,
    customLogger: quietLogger(logLevel),
    plugins: [react(), oneFontFormat, licenseFile],
    // Tests copy the project, with a link to `node_modules`, and all copies share one stored build. Without this option the manifest of a build
    // in a copy would contain the absolute path of the folder that the link leads to. `paths` of tsconfig.json has the entries of `threadhold`.
    resolve: { preserveSymlinks: true, tsconfigPaths: true },
    css: { modules: { localsConvention: "camelCaseOnly" } },
    build: {
      ...(outDir === undefined ? {} : { outDir }),
      emptyOutDir: true,
      target: "es2023",
      // All files here may be cached without a limit. Small files are not inlined, because the page's policy allows no data: scripts.
      assetsDir: "assets",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // scripts/ui-size.mjs checks the size of the first load.
      chunkSizeWarningLimit: 2000,
      manifest: "manifest.json",
      rolldownOptions: {
        output: {
          // Modules of the first load that later chunks use too would be many small files, which compress worse than one.
          codeSplitting: { groups: [{ name: "first", tags: ["$initial"] }] },
        },
      },
    },
    ...(worker === undefined
      ? {}
      : {
          cacheDir: fromRoot("node_modules/.cache/vite-ui"),
          server: {
            host: "localhost",
            port: port ?? 5173,
            // In addition to the paths that Vite denies: the keys of providers, and the Worker's stored data.
            fs: {
              allow: [fromRoot("playground"), fromRoot("src"), fromRoot("node_modules")],
              deny: [".env", ".env.*", "*.{crt,pem}", "**/.git/**", ".dev.vars", ".dev.vars.*", "**/.wrangler/**"],
            },
            proxy: {
              // The Worker refuses foreign origins, and this server's port makes it one. So requests from its own pages get the Worker's
              // origin, and all others keep theirs.
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
