// Lists the ids of a namespace's objects: for a deployment from Cloudflare's API, for a local server from the names of its files.

import { readdirSync } from "node:fs";
import path from "node:path";

const objectId = /^[0-9a-f]{64}$/;

/** The most objects that a page of the API holds. */
const pageLimit = 1000;

/**
 * @param {string} stateFolder that of the local server
 * @returns {string[]}
 */
export function localObjectIds(stateFolder) {
  const objects = path.join(stateFolder, "v3/do");
  const ids = new Set();
  for (const namespace of readdirSync(objects, { withFileTypes: true })) {
    // Feeds have files too, but no data in them.
    if (!namespace.isDirectory() || !namespace.name.endsWith("-ThreadObject")) continue;
    for (const file of readdirSync(path.join(objects, namespace.name))) {
      const id = file.replace(/\.sqlite$/, "");
      if (file.endsWith(".sqlite") && objectId.test(id)) ids.add(id);
    }
  }
  return [...ids];
}

/**
 * The objects of a deployed namespace that have stored data, page by page.
 * @param {{ account: string, namespace: string, token: string, api?: string | undefined }} where
 * @returns {AsyncGenerator<string[]>}
 */
export async function* deployedObjectIds({ account, namespace, token, api = "https://api.cloudflare.com/client/v4" }) {
  const base = `${api}/accounts/${encodeURIComponent(account)}/workers/durable_objects/namespaces/${encodeURIComponent(namespace)}/objects`;
  let cursor = "";
  do {
    const query = new URLSearchParams({ limit: String(pageLimit), ...(cursor === "" ? {} : { cursor }) });
    const response = await fetch(`${base}?${query.toString()}`, { headers: { authorization: `Bearer ${token}` } });
    /** @type {any} */
    const body = await response.json().catch(() => null);
    if (!response.ok || body?.success !== true) {
      const why = body?.errors?.map(({ message }) => message).join("; ") ?? response.statusText;
      throw new Error(`Cloudflare's API answered ${response.status}: ${why}`);
    }
    yield body.result.filter(({ hasStoredData }) => hasStoredData !== false).map(({ id }) => id);
    cursor = body.result_info?.cursors?.after ?? body.result_info?.cursor ?? "";
  } while (cursor !== "");
}
