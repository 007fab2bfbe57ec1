#!/usr/bin/env node
// The program of the package `@threadhold/cli`, for a folder in which `threadhold` is not installed yet: `npx @threadhold/cli init`. It runs the
// program of the package `threadhold`, which npm installs with this one.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const manifest = createRequire(import.meta.url).resolve("threadhold/package.json");
await import(new URL("dist/cli/threadhold.js", pathToFileURL(manifest)).href);
