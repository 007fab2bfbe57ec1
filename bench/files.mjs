// Measures the memory of every workerd process, from outside, while a large file is uploaded, downloaded, read by an endpoint with
// readFileStream, and exported and imported with its thread, compared with a small file. The memory of the object's process must not
// grow with the file. Bytes are checked by their hash.
//
//   npm run bench -- files [--small 5] [--large 500]      sizes in MiB

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { startBenchServer } from "../scripts/lib/bench-server.mjs";
import { report } from "./support/report.mjs";

const { values } = parseArgs({
  options: { small: { type: "string", default: "5" }, large: { type: "string", default: "500" } },
});
const sizes = { small: Number(values.small), large: Number(values.large) };
const mib = 1024 * 1024;
/** MiB by which the object's process may grow more than for the small file. */
const allowed = 160;
/** Milliseconds between two samples of the processes. */
const interval = 10;

if (process.platform !== "linux") {
  console.error("This bench reads /proc and so needs Linux.");
  process.exit(1);
}
await ensureInstall();

/** A MiB with different content for each number, created as fast as it is sent. */
const seed = Buffer.alloc(mib);
for (let at = 0; at < mib; at += 4) seed.writeUInt32LE(Math.imul(at + 1, 2_654_435_761) >>> 0, at);
function piece(number) {
  seed.writeUInt32LE(number, (number * 4093) % (mib - 4));
  return Buffer.from(seed);
}

/** MiB of resident memory of each workerd of a process group. */
function resident(group) {
  const found = {};
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
      if (name !== "workerd" || Number(rest?.split(" ")[2]) !== group) continue;
      const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      found[pid] = Number(kib) / 1024;
    } catch (error) {
      // The process has ended since it was listed.
      if (error.code !== "ENOENT" && error.code !== "ESRCH") throw error;
    }
  }
  return found;
}

/** Runs an action and returns the peak of each process during it. */
async function watched(group, action) {
  const peaks = resident(group);
  const timer = setInterval(() => {
    for (const [pid, now] of Object.entries(resident(group))) peaks[pid] = Math.max(peaks[pid] ?? 0, now);
  }, interval);
  const begun = performance.now();
  try {
    const value = await action();
    return { value, seconds: (performance.now() - begun) / 1000, peaks };
  } finally {
    clearInterval(timer);
  }
}

function open(url, method, headers = {}) {
  const sent = request(url, { method, headers, agent: false });
  const response = new Promise((resolve, reject) => {
    sent.on("response", resolve);
    sent.on("error", reject);
  });
  return { sent, response };
}

async function textOf(response) {
  let text = "";
  for await (const part of response.setEncoding("utf8")) text += part;
  if (response.statusCode >= 300) throw new Error(`${response.statusCode}: ${text}`);
  return text;
}

async function put(url, size) {
  const { sent, response } = open(url, "PUT", { "content-length": size * mib });
  const hash = createHash("sha256");
  for (let number = 0; number < size; number++) {
    const bytes = piece(number);
    hash.update(bytes);
    if (!sent.write(bytes)) await new Promise((resolve) => sent.once("drain", resolve));
  }
  sent.end();
  await textOf(await response);
  return hash.digest("hex");
}

async function get(url) {
  const { sent, response } = open(url, "GET");
  sent.end();
  const hash = createHash("sha256");
  for await (const part of await response) hash.update(part);
  return hash.digest("hex");
}

async function exportTo(archive, url) {
  const { sent, response } = open(url, "GET");
  sent.end();
  await pipeline(await response, createWriteStream(archive));
}

async function importFrom(archive, url) {
  const { sent, response } = open(url, "POST", { "content-type": "application/x-ndjson" });
  await pipeline(createReadStream(archive, { highWaterMark: mib }), sent);
  await textOf(await response);
}

async function json(url, method = "GET", body) {
  const answer = await fetch(url, { method, body, headers: { "content-type": "application/json" } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** The growth of each process for one file size, on a new server that has stored a file before. */
async function measure(size) {
  const server = await startBenchServer();
  const folder = mkdtempSync(path.join(tmpdir(), "bench-files-"));
  const archive = path.join(folder, "thread.ndjson");
  try {
    const thread = async () => {
      const { id } = await json(`${server.url}/api/threads`, "POST", JSON.stringify({ agent_id: "own_run" }));
      const root = `${server.url}/api/threads/${id}`;
      return { root, file: `${root}/files/large.bin`, read: `${root}/read-stream?path=large.bin` };
    };
    /** Exports a thread, deletes it and imports it again. */
    const taken = ({ root }) => exportTo(archive, `${root}/export?files=true`);
    const back = async ({ root, file }) => {
      const { sent, response } = open(root, "DELETE");
      sent.end();
      await textOf(await response);
      const imported = await watched(server.group, () => importFrom(archive, `${server.url}/api/threads/import`));
      return { ...imported, value: await get(file) };
    };
    const warm = await thread();
    await put(warm.file, 1);
    await get(warm.file);
    await json(warm.read);
    await taken(warm);
    await back(warm);

    const large = await thread();
    const { file, read } = large;
    const baseline = resident(server.group);
    const steps = {
      PUT: await watched(server.group, () => put(file, size)),
      GET: await watched(server.group, () => get(file)),
      readFileStream: await watched(server.group, async () => (await json(read)).sha256),
    };
    steps.export = { ...(await watched(server.group, () => taken(large))), value: steps.PUT.value };
    steps.import = await back(large);
    const hashes = new Set(Object.values(steps).map(({ value }) => value));
    if (hashes.size !== 1) throw new Error("What came back is not what was sent.");
    return Object.entries(steps).map(([what, { seconds, peaks }]) => ({ what, seconds, ...growth(baseline, peaks) }));
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The object's process is the larger one. The other is wrangler's own, which forwards requests. */
function growth(baseline, peaks) {
  const [proxy, object] = Object.keys(baseline).sort((one, other) => baseline[one] - baseline[other]);
  const of = (pid) => Math.round((peaks[pid] ?? 0) - (baseline[pid] ?? 0));
  return { baseline: Math.round(baseline[object] ?? 0), object: of(object), proxy: of(proxy) };
}

let code = 0;
try {
  const [small, large] = [await measure(sizes.small), await measure(sizes.large)];
  const rows = large.map(({ what, seconds, baseline, object, proxy }, at) => {
    const comparison = small[at]?.object ?? 0;
    return {
      what: `${what} of ${sizes.large} MiB, memory above ${sizes.small} MiB's`,
      measured: object - comparison,
      unit: "MiB",
      limit: allowed,
      runs: 1,
      comparison: `${object} − ${comparison}, over ${baseline}; proxy ${proxy}; ${Math.round(sizes.large / seconds)} MiB/s`,
    };
  });
  code = report("files", rows, { sizes });
} catch (error) {
  console.error(error.message);
  code = 1;
}
process.exit(code);
