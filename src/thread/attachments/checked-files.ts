// Checks a message's files before any of them is stored or fetched: each has exactly one source, base64 data is valid, inline bytes do not
// exceed their bound, and paths name existing files.

import { attachmentLimit } from "#contract/attachment.ts";
import { refuse } from "#contract/error.ts";
import { inlineBytesLimit } from "#contract/route.ts";
import type { ThreadFiles } from "#core/ports/thread-file-port.ts";
import type { StoredPart } from "#core/record/record.ts";
import { base64Bytes, fromBase64 } from "#lib/base64.ts";
import type { FileRecord } from "#spec/index.ts";

import { withField, fileRefusal } from "./file-refusal.ts";
import { isIncomingFile } from "./incoming-file.ts";
import type { IncomingFile, IncomingPart } from "./incoming-file.ts";

/** A file that passed the checks. */
export type CheckedFile = { incoming: IncomingFile } & (
  | { from: "data"; bytes: Uint8Array }
  | { from: "file"; record: FileRecord }
  | { from: "url"; url: string }
);

/** Checks the files of the messages of one request. Rejects with a refusal that names the first invalid field. */
export async function checkAttachments(
  messages: readonly (readonly IncomingPart[])[],
  files: ThreadFiles,
): Promise<(StoredPart | CheckedFile)[][]> {
  for (const message of messages) checkInlineBytes(message.filter(isIncomingFile));
  const addresses = messages
    .flat()
    .filter((part) => isIncomingFile(part) && part.source !== null && "url" in part.source);
  const over = addresses[attachmentLimit];
  if (over !== undefined && isIncomingFile(over)) {
    throw fileRefusal(over.field, `at most ${attachmentLimit} files are fetched for one request.`);
  }
  const checked: (StoredPart | CheckedFile)[][] = [];
  for (const message of messages) {
    const parts: (StoredPart | CheckedFile)[] = [];
    for (const part of message) {
      parts.push(isIncomingFile(part) ? await withField(part.field, () => checkFile(part, files)) : part);
    }
    checked.push(parts);
  }
  return checked;
}

function checkInlineBytes(incoming: readonly IncomingFile[]): void {
  const inline = incoming.reduce((sum, { source }) => sum + inlineBytes(source), 0);
  if (inline <= inlineBytesLimit) return;
  throw refuse(
    "too_large",
    `A message brings ${inline} bytes inline; at most ${inlineBytesLimit} are taken. Put larger files into the thread ` +
      "first and name them by path.",
    { limit: inlineBytesLimit },
  );
}

async function checkFile(incoming: IncomingFile, files: ThreadFiles): Promise<CheckedFile> {
  const { source, field } = incoming;
  if (source === null) throw fileRefusal(field, "give exactly one of data, path and url.");
  if ("data" in source) {
    const bytes = fromBase64(source.data);
    if (bytes === null) throw fileRefusal(field, "its data is not base64.");
    return { incoming, from: "data", bytes };
  }
  if ("url" in source) return { incoming, from: "url", url: source.url };
  const record = await files.stat(source.path);
  if (record === null) throw fileRefusal(field, `this thread has no file ${source.path}.`);
  if (record.isDirectory) throw fileRefusal(field, `${record.path} is a folder.`);
  return { incoming, from: "file", record };
}

function inlineBytes(source: IncomingFile["source"]): number {
  return source !== null && "data" in source ? base64Bytes(source.data) : 0;
}
