// The routes of Workers: uploads, versions, secrets, assets and the address on workers.dev.

import type { Account, StoredWorker } from "./cloudflare-api.ts";
import { ApiError, type ApiRequest, type Route } from "./route.ts";

/** A binding of an upload. */
interface UploadedBinding {
  type: string;
  name: string;
  id?: string;
  class_name?: string;
  text?: string;
}

/** The metadata of an upload. */
interface Metadata {
  main_module: string;
  bindings: UploadedBinding[];
  compatibility_date?: string;
  migrations?: { old_tag?: string; new_tag: string; steps: { new_sqlite_classes?: string[] }[] };
  assets?: { jwt: string };
}

/** An uploaded version of a Worker. */
export interface Upload {
  metadata: Metadata;
  /** The source text of each module by its name. */
  modules: Record<string, string>;
}

/** The subdomain of the account on workers.dev. */
const subdomain = "testaccount";

function formOf(body: Response): Promise<FormData> {
  // oxlint-disable-next-line typescript/no-deprecated -- the body is in memory, and comes from the wrangler of the test.
  return body.formData();
}

export function workerRoutes({ workers, assetPaths }: Account): Route[] {
  const assets = new Set<string>();
  const find = (name = ""): StoredWorker => {
    const worker = workers.get(name);
    if (worker === undefined) throw new ApiError(404, 10_007, "This Worker does not exist on your account.");
    return worker;
  };
  const store = async (name: string, { body }: ApiRequest): Promise<object> => {
    const form = await formOf(body);
    const metadata = JSON.parse(form.get("metadata") as string) as Metadata;
    const modules: Record<string, string> = {};
    for (const [part, value] of form.entries()) if (typeof value !== "string") modules[part] = await value.text();
    const worker = workers.get(name) ?? { secrets: new Map<string, string>(), uploads: [], migrationTag: undefined };
    worker.uploads.push({ metadata, modules });
    worker.migrationTag = metadata.migrations?.new_tag ?? worker.migrationTag;
    workers.set(name, worker);
    const id = `00000000-0000-4000-8000-${String(worker.uploads.length).padStart(12, "0")}`;
    return {
      id,
      deployment_id: id.replaceAll("-", ""),
      startup_time_ms: 1,
      resources: { script: { etag: "etag" } },
      metadata: {},
    };
  };
  const route = (method: string, path: string, handle: Route["handle"]): Route => ({
    method,
    pattern: new RegExp(`^/workers/${path}$`),
    handle,
  });
  const always = (method: string, path: string, result: unknown): Route =>
    route(method, path, () => Promise.resolve({ result }));
  const script = "scripts/([^/]+)";
  return [
    route("GET", "services/([^/]+)", ([name]) => {
      find(name);
      const own = { tag: "tag", last_deployed_from: "wrangler" };
      return Promise.resolve({ result: { default_environment: { environment: "production", script: own } } });
    }),
    route("GET", "scripts", () => {
      const result = [...workers].map(([id, { migrationTag }]) => ({ id, migration_tag: migrationTag }));
      return Promise.resolve({ result });
    }),
    route("PUT", script, async ([name = ""], request) => ({ result: await store(name, request) })),
    route("POST", `${script}/versions`, async ([name = ""], request) => {
      find(name);
      return { result: await store(name, request) };
    }),
    route("GET", `${script}/deployments`, ([name]) => {
      find(name);
      return Promise.resolve({ result: { deployments: [] } });
    }),
    always("POST", `${script}/deployments`, { id: "deployment" }),
    always("PATCH", `${script}/script-settings`, {}),
    route("GET", `${script}/settings`, ([name]) => {
      const { uploads, secrets } = find(name);
      const uploaded = uploads.at(-1)?.metadata.bindings ?? [];
      const hidden = [...secrets.keys()].map((each) => ({ type: "secret_text", name: each }));
      return Promise.resolve({ result: { bindings: [...uploaded, ...hidden] } });
    }),
    route("PATCH", `${script}/settings`, async ([name], { body }) => {
      const { secrets } = find(name);
      const form = await formOf(body);
      const { bindings } = JSON.parse(form.get("settings") as string) as { bindings: UploadedBinding[] };
      for (const { type, name: key, text } of bindings)
        if (type === "secret_text" && text !== undefined) secrets.set(key, text);
      return { result: {} };
    }),
    route("GET", `${script}/secrets`, ([name]) => {
      const result = [...find(name).secrets.keys()].map((each) => ({ name: each, type: "secret_text" }));
      return Promise.resolve({ result });
    }),
    always("GET", "subdomain", { subdomain }),
    always("GET", `${script}/subdomain`, { enabled: true, previews_enabled: true }),
    always("POST", `${script}/subdomain`, { enabled: true, previews_enabled: true }),
    route("POST", `${script}/assets-upload-session`, async ([name = ""], { body }) => {
      const { manifest } = (await body.json()) as { manifest: Record<string, { hash: string }> };
      assetPaths.set(name, Object.keys(manifest));
      const missing = Object.values(manifest).flatMap(({ hash }) => (assets.has(hash) ? [] : [hash]));
      return { result: { jwt: "assets", buckets: missing.length === 0 ? [] : [missing] } };
    }),
    route("POST", "assets/upload", async (_, { body }) => {
      for (const hash of (await formOf(body)).keys()) assets.add(hash);
      return { result: { jwt: "assets" } };
    }),
  ];
}
