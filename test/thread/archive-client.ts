// Exports and imports threads of the test Worker, and forges exports: lines are parsed, changed, and hashed again, so that only the change
// is wrong.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

import type { ArchiveLine } from "#core/archive/archive-line.ts";
import { ArchiveTally } from "#core/archive/archive-tally.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import { callerHeader, creationHeader, exportPath, importPath } from "#core/rpc/thread-rpc.ts";
import { sha256Hex } from "#lib/sha256.ts";

import { admin, stubOf, value } from "./thread-driver.ts";

/** A line whose fields a test may set to any value. */
// oxlint-disable-next-line typescript/no-explicit-any -- forged lines have any shape
export type Line = Record<string, any>;

const headersOf = (caller: Caller) => ({ [callerHeader]: JSON.stringify(caller) });

/** The response to an export. */
export function askExport(id: string, files = true, caller: Caller = admin): Promise<Response> {
  const url = `https://thread${exportPath}${files ? "?files=true" : ""}`;
  return stubOf(id).fetch(new Request(url, { headers: headersOf(caller) }));
}

/** An export's text. */
export async function exported(id: string, files = true): Promise<string> {
  const response = await askExport(id, files);
  return new TextDecoder().decode(await response.arrayBuffer());
}

/** The importer, with the key that repeated imports share. */
export type Importer = Caller & { creation?: string };

/** The response to an import into the object of `id`. */
export function askImport(id: string, body: BodyInit, { creation, ...caller }: Importer = admin): Promise<Response> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const url = `https://thread${importPath}`;
  const headers = { ...headersOf(caller), ...(creation === undefined ? {} : { [creationHeader]: creation }) };
  return stubOf(id).fetch(new Request(url, { method: "POST", headers, body: bytes }));
}

/** The status of an import with the code and message of its refusal, or with the thread. */
export async function imported(id: string, body: BodyInit, importer: Importer = admin) {
  const response = await askImport(id, body, importer);
  const answer: Line = await response.json();
  const { code = null, message = null } = (answer["error"] ?? {}) as { code?: string; message?: string };
  return { status: response.status, code, message, thread: answer };
}

/** Deletes a thread and imports it from an export. */
export async function replaced(id: string, text: string): Promise<void> {
  await value(stubOf(id).call("remove", admin));
  const { status, message } = await imported(id, text);
  if (status !== 201) throw new Error(`not imported: ${message}`);
}

/** The lines of an export. */
export function linesOf(text: string): Line[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

/** Joins lines to an export, with a new last line. */
export async function sealed(lines: readonly Line[], end: Line = {}): Promise<string> {
  const body = lines
    .filter((line) => (line as Line | null)?.["type"] !== "end")
    .map((line) => `${JSON.stringify(line)}\n`);
  const tally = new ArchiveTally();
  for (const line of lines)
    if (Object.hasOwn(known, String((line as Line | null)?.["type"]))) tally.add(line as ArchiveLine);
  const text = body.join("");
  const last = { type: "end", counts: tally.counts, sha256: await sha256Hex(text), ...end };
  return `${text}${JSON.stringify(last)}\n`;
}

const known = { branch: 0, run: 0, message: 0, log: 0, event: 0, folder: 0, file: 0, void: 0, chunk: 0 };

/** The lines of an export without its time and its owner. */
export function comparable(text: string): Line[] {
  return linesOf(text).map((line) => {
    if (line["type"] === "header") return { ...line, exported_at: 0 };
    if (line["type"] === "end") return { ...line, sha256: "" };
    return line;
  });
}

/** The contents of an object's storage: the project's tables, and the alarm. */
export function leftIn(id: string): Promise<{ tables: string[]; alarm: number | null }> {
  return runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), async (_, { storage }) => ({
    tables: storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")
      .toArray()
      .map(({ name }) => name),
    alarm: await storage.getAlarm(),
  }));
}

/** The value of `leftIn` for an object that was never used. */
export const nothing = { tables: [], alarm: null };

/** Whether the catalog lists a thread. */
export async function listed(id: string): Promise<boolean> {
  const { CATALOG } = env as unknown as { CATALOG: D1Database };
  const row = await CATALOG.prepare("SELECT id FROM thread WHERE id = ?1").bind(id).first();
  return row !== null;
}
