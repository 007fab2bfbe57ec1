// A client of a thread's files through the whole Worker: the HTTP layer, the real object and its real storage.

import { exports } from "cloudflare:workers";

import { fileStatsSchema, folderSchema } from "#contract/file.ts";

import { newThread } from "./thread-driver.ts";

/** Header names and values. */
export type Headers = Record<string, string>;

/** The options of a request. */
export interface Sent {
  body?: BodyInit;
  headers?: Headers;
  signal?: AbortSignal;
}

/** The files of one thread. */
export class Files {
  readonly #root: string;

  constructor(thread: string) {
    this.#root = `http://localhost/api/threads/${thread}`;
  }

  static async ofNewThread(): Promise<Files> {
    return new Files(await newThread("parallel"));
  }

  ask(method: string, path: string, sent: Sent = {}): Promise<Response> {
    const request = new Request(`${this.#root}${path}`, { method, redirect: "manual", ...sent });
    return exports.default.fetch(request);
  }

  get(path: string, headers: Headers = {}): Promise<Response> {
    return this.ask("GET", `/files${path}`, { headers });
  }

  /** A text is sent as bytes: a string would set a content type of its own. */
  put(path: string, body: BodyInit, headers: Headers = {}): Promise<Response> {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    return this.ask("PUT", `/files${path}`, { body: bytes, headers });
  }

  /** The status, and the code of a refusal. */
  async outcome(method: string, path: string, sent: Sent = {}): Promise<unknown> {
    const response = await this.ask(method, path, sent);
    const text = await response.text();
    return response.status < 400 ? response.status : [response.status, errorOf(text)];
  }

  async stats(): Promise<unknown> {
    return fileStatsSchema.parse(await (await this.ask("GET", "/files-stats")).json());
  }

  async listed(path: string): Promise<string[]> {
    const { entries } = folderSchema.parse(await (await this.get(path)).json());
    return entries.map((entry) => entry.path);
  }
}

/** The code of a refusal. */
export function errorOf(text: string): string {
  return (JSON.parse(text) as { error: { code: string } }).error.code;
}

/** Outcomes with which tests compare. */
export const conflict = [409, "conflict"];
export const invalid = [400, "invalid_request"];
export const missing = [404, "file_not_found"];
