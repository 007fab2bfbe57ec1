// Finds a Chromium for the tests that need a browser: the one in CHROME_PATH, one of the system, Debian's package if this process may
// install it, or the one that Playwright downloads.

import { existsSync } from "node:fs";

import { fromRoot } from "./paths.mjs";
import { runCommand } from "./run-command.mjs";

const usual = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** Arguments of a headless browser without background requests and without shared state. */
export const chromiumArguments = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Debian's Chromium without windows, menus and notifications. */
const headlessShell = "/usr/lib/chromium/chromium-headless-shell";

/**
 * The path of the headless shell of Chromium, which renders pages as Chromium does and takes a fifth less processor time. Without one, or
 * if CHROME_PATH names a browser, the path of the whole browser. The shell denies every permission for notifications.
 */
export async function findHeadlessShell() {
  const whole = await findChromium();
  const isNamed = (process.env.CHROME_PATH ?? "") !== "";
  return !isNamed && existsSync(headlessShell) ? headlessShell : whole;
}

/** The path of the program. Throws an error with instructions if there is none and none can be installed. */
export async function findChromium() {
  const named = process.env.CHROME_PATH;
  if (named !== undefined && named !== "") {
    if (existsSync(named)) return named;
    throw new Error(`CHROME_PATH names ${named}, which is not there.`);
  }
  const found = usual.find((path) => existsSync(path));
  if (found !== undefined) return found;
  return (await fromDebian()) ?? (await fromPlaywright());
}

async function fromDebian() {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return null;
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const install = async (...packages) => {
    const args = ["install", "-y", "--no-install-recommends", ...packages];
    return (await runCommand("apt-get", args, { quiet: true, env })).code === 0;
  };
  const both = ["chromium", "chromium-headless-shell"];
  console.log("No Chromium was found; installing Debian's …");
  if (!(await install(...both))) {
    // The package lists may be missing, as in a fresh container.
    await runCommand("apt-get", ["update"], { quiet: true, env });
    // Older systems have no package of the shell.
    if (!(await install(...both))) await install("chromium");
  }
  return existsSync("/usr/bin/chromium") ? "/usr/bin/chromium" : null;
}

async function fromPlaywright() {
  const { chromium } = await import("playwright-core");
  const path = chromium.executablePath();
  if (existsSync(path)) return path;
  const cli = fromRoot("node_modules/playwright-core/cli.js");
  console.log("No Chromium was found; downloading Playwright's …");
  const { output } = await runCommand(process.execPath, [cli, "install", "chromium"], { quiet: true });
  if (existsSync(path)) return path;
  throw new Error(`No Chromium was found. Install one, or name it with CHROME_PATH.\n${output}`);
}
