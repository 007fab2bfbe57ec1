// `npm run dev:ui`: the playground served from its sources, in front of a Worker.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { nextFreePort } from "#cli/dev/free-port.ts";

import { ApiClient } from "../../support/http-client/api-client.ts";
import { timeoutMs, within } from "../../support/http-client/deadline.ts";
import { newContext } from "../support/browser.ts";
import type { PlaygroundUse } from "./playground-use.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Starts the command. Returns the address that it prints; `stop` resolves when the command has ended. */
async function startUi(worker: string): Promise<{ url: string; stop: () => Promise<unknown> }> {
  const port = await nextFreePort(30_000 + (process.pid % 2000), 20);
  const args = ["scripts/dev-ui.mjs", "--port", String(port), "--worker", worker];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const stop = (): Promise<unknown> => {
    child.kill();
    return ended;
  };
  let text = "";
  const said = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        const url = /with hot reload: (http:\S+)/.exec(text)?.[1];
        if (url !== undefined) resolve(url.replace(/\/$/, ""));
      });
    }
    child.on("close", (code) => reject(new Error(`It ended with ${String(code)}:\n${text}`)));
  });
  try {
    return { url: await within(timeoutMs, () => `its address:\n${text}`, said), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export function hotReload({ api, open }: PlaygroundUse): void {
  describe("npm run dev:ui", () => {
    it("The command npm run dev:ui serves the pages from their sources, and the Worker accepts their requests and sockets", async () => {
      const { url, stop } = await startUi(api().url);
      try {
        const { page } = await open(url, newContext);
        await page.getByRole("button", { name: "Start assistant with: What is a thread?" }).click();
        await page.getByRole("log").getByText("Here is what the handbook says.").waitFor();
        const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
        expect((await api().thread(id)).title).toBe("What is a thread?");
        // Paths like this one are passed on to the Worker, so no source folder may have their name.
        await page.goto(`${url}/docs`);
        await page.getByRole("heading", { name: "API", exact: true }).waitFor();
        // A browser sends the origin of the page, which is not the Worker's.
        const feed = await new ApiClient(url, { origin: url }).socket(id);
        await feed.until("run_end");
        feed.close();
        // Requests from pages of other origins are still refused, and the project's keys are not served as files.
        const foreign = { origin: "https://evil.example", "content-type": "application/json" };
        const posted = await fetch(`${url}/api/threads`, { method: "POST", headers: foreign, body: "{}" });
        expect(posted.status).toBe(403);
        const status = async (file: string): Promise<number> => (await fetch(`${url}/@fs${root}/${file}?raw`)).status;
        expect(await status("playground/main.tsx")).toBe(200);
        expect([await status(".dev.vars.example"), await status("package.json")]).toEqual([403, 403]);
      } finally {
        await stop();
      }
    });
  });
}
