// Restores a lost catalog from the objects of the threads. It may be repeated, also after an interruption: threads that are in the
// catalog already are not counted again.

import path from "node:path";
import { parseArgs } from "node:util";

import { deployedObjectIds, localObjectIds } from "./lib/object-ids.mjs";

const usage = `Usage: npm run restore-catalog -- --url URL [options]

Has every thread tell the catalog its line in the list and the totals of its runs again.

  --url URL           the service, for example https://threads.example.com
  --token TOKEN       an administrator's token; also THREADHOLD_TOKEN. Not needed by a local server in open mode

Where the ids of the objects come from, one of:
  --state DIR         a local server's state folder; .wrangler/state when nothing else is given
  --account ID --namespace ID
                      a deployment: the account and the Durable Object namespace (the dashboard shows its id). Needs an
                      API token with "Workers Scripts: Read" in CLOUDFLARE_API_TOKEN

  --help              this text`;

/** Objects in one request. */
const batch = 50;

/** @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}

/** @returns {any} */
function readOptions() {
  try {
    const string = /** @type {const} */ ({ type: "string" });
    const help = /** @type {const} */ ({ type: "boolean" });
    const { values } = parseArgs({
      options: {
        url: string,
        token: string,
        state: string,
        account: string,
        namespace: string,
        help,
      },
    });
    return values;
  } catch (error) {
    return fail(`${error.message}\n\n${usage}`);
  }
}

/** Pages of ids. */
async function* idsOf({ account, namespace, state = ".wrangler/state" }) {
  if (account === undefined && namespace === undefined) {
    try {
      yield localObjectIds(path.resolve(state));
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
      fail(`There are no threads in ${state}. Name the server's state folder with --state.`);
    }
    return;
  }
  if (account === undefined || namespace === undefined) fail("--account and --namespace belong together.");
  const token = process.env["CLOUDFLARE_API_TOKEN"];
  if (!token) fail("CLOUDFLARE_API_TOKEN is not set.");
  yield* deployedObjectIds({ account, namespace, token, api: process.env["CLOUDFLARE_API_BASE_URL"] });
}

async function restore(url, token, ids) {
  const request = {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "sec-fetch-site": "none",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify({ object_ids: ids }),
  };
  const response = await fetch(new URL("/api/catalog/restore", url), request).catch((error) =>
    fail(`${url} cannot be reached: ${error.cause?.message ?? error.message}`),
  );
  /** @type {any} */
  const body = await response.json().catch(() => null);
  if (!response.ok) fail(`The service answered ${response.status}: ${body?.error?.message ?? response.statusText}`);
  return body.objects;
}

const options = readOptions();
if (options.help) {
  console.log(usage);
  process.exit(0);
}
const { url, token = process.env["THREADHOLD_TOKEN"] } = options;
if (url === undefined) fail(`--url is missing.\n\n${usage}`);

const total = { threads: 0, runs: 0, empty: 0 };
const failed = [];
for await (const page of idsOf(options)) {
  for (let from = 0; from < page.length; from += batch) {
    for (const { object_id, thread_id, runs, error } of await restore(url, token, page.slice(from, from + batch))) {
      if (error !== null) failed.push(`${object_id}: ${error}`);
      else if (thread_id === null) total.empty += 1;
      else {
        total.threads += 1;
        total.runs += runs;
      }
    }
    console.log(
      `${total.threads} threads with ${total.runs} runs; ${total.empty} empty objects; ${failed.length} failed`,
    );
  }
}
if (failed.length > 0) {
  console.error(`\nWithout an entry in the catalog:\n${failed.join("\n")}\n\nRun this again.`);
  process.exit(1);
}
console.log("The catalog has every thread.");
