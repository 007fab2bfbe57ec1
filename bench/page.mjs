// Measures the work of the playground for each frame while a long thread is scrolled, compared with a plain page of the same text that
// the browser scrolls without scripts. Times are processor time of the page's main thread.
//
//   npm run bench -- page [--messages 10000] [--rounds 3]

import { parseArgs } from "node:util";

import { chromium } from "playwright-core";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { chromiumArguments, findChromium } from "../scripts/lib/find-chromium.mjs";
import { startTemporaryServer } from "../scripts/lib/temporary-server.mjs";
import { longThreadFile, textOf } from "../test/browser/support/long-thread-file.mjs";
import { workDuring } from "./support/page-work.mjs";
import { report } from "./support/report.mjs";
import { median, ratio, spread } from "./support/statistics.mjs";

const { values } = parseArgs({
  options: { messages: { type: "string", default: "10000" }, rounds: { type: "string", default: "3" } },
});
const [messages, rounds] = [Number(values.messages), Number(values.rounds)];
/** Milliseconds that the busiest frame may take. With more, scrolling visibly stops. */
const allowed = 50;
const turns = 40;

await ensureInstall();
const server = await startTemporaryServer();
const browser = await chromium.launch({ executablePath: await findChromium(), args: chromiumArguments });

/** A plain page with as many of the last messages as the wheel scrolls through. */
function plainPage() {
  const shown = Array.from({ length: 1000 }, (_, at) => textOf(messages - 1000 + at).replaceAll("<", "&lt;"));
  const rows = shown.map((text) => `<pre style="white-space: pre-wrap">${text}</pre>`);
  return `<!doctype html><title>Plain</title><div id="messages" style="height: 800px; overflow: auto">${rows.join("")}</div>`;
}

async function wheel(page) {
  const list = page.locator("#messages");
  await list.hover();
  for (const by of [-1200, 1200]) {
    for (let turn = 0; turn < turns; turn++) {
      await page.mouse.wheel(0, by);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
  }
}

let code = 0;
try {
  const { id, lines } = longThreadFile("assistant", messages);
  const headers = { "content-type": "application/x-ndjson", "sec-fetch-site": "none" };
  const made = await fetch(`${server.url}/api/threads/import`, { method: "POST", headers, body: lines });
  if (made.status !== 201) throw new Error(`The import failed: ${made.status} ${await made.text()}`);
  const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 860 } });
  const [page, plain] = [await context.newPage(), await context.newPage()];
  await page.goto(`/threads/${id}`);
  await page.getByText(`Message ${messages - 1}.`).waitFor();
  await plain.setContent(plainPage());
  await plain.evaluate(() => document.querySelector("#messages")?.scrollTo(0, 1e9));
  const [measured, floor] = [[], []];
  for (let round = 0; round < rounds; round++) {
    await page.bringToFront();
    measured.push(...(await workDuring(page, () => wheel(page))));
    await plain.bringToFront();
    floor.push(...(await workDuring(plain, () => wheel(plain))));
  }
  const most = (all) => Number(Math.max(...all).toFixed(2));
  const comparison = (one, other) => `${one} ms / ${other} ms of a plain page`;
  code = report("page", [
    {
      what: `busiest frame while ${messages} messages are scrolled`,
      measured: most(measured),
      unit: "ms",
      limit: allowed,
      runs: measured.length,
      comparison: comparison(most(measured), most(floor)),
    },
    {
      what: "a frame, to that of a plain page",
      measured: ratio(median(measured), median(floor)),
      unit: "×",
      runs: measured.length,
      comparison: `${comparison(median(measured), median(floor))}; ${spread(measured)} / ${spread(floor)}`,
    },
  ]);
} catch (error) {
  console.error(error.message);
  code = 1;
} finally {
  await browser.close();
  await server.stop();
}
process.exit(code);
