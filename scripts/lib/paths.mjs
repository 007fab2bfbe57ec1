// Absolute paths of the project, so that a script works from any working directory.

import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

/** @param {string} relative */
export const fromRoot = (relative) => path.join(root, relative);
