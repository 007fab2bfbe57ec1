// What a model is sent of the files that its messages refer to: recent images and documents as bytes, short text files as
// text, everything else as a line (decisions 16, 19). Read from the thread's files when a step is made ready, and bounded
// from the newest message on, so that one request never holds more than an object can bear.

import type { AnyModelDefinition } from "#spec/index.ts";

import { partOf } from "../attachment-view.ts";
import type { ModelMessage } from "../ports/model-port.ts";
import type { ThreadFiles } from "../ports/thread-files.ts";
import type { StoredPart } from "../record.ts";
import { AttachmentBudget } from "./attachment-budget.ts";
import { resultWithText } from "./request-messages.ts";
import { line, sentAs, sentFile } from "./sent-file.ts";
import type { FileReference } from "./sent-file.ts";

/** Recent messages whose images are sent, where a prompt does not say (Standard Agents, recentImageThreshold). */
const defaultRecent = 10;

/** What decides how files are sent. */
export interface AttachmentView {
  /** Left out: every file is a line. */
  files: ThreadFiles | undefined;
  /** The models that may be asked: without one that sees, no image is read. */
  models: readonly AnyModelDefinition[];
  /** The prompt's `recentImageThreshold`: messages, counted from the end. */
  recent: number | undefined;
}

/** The messages with their files as far as they are sent. The stored records are not changed. */
export async function withAttachments(
  messages: readonly ModelMessage[],
  { files, models, recent = defaultRecent }: AttachmentView,
): Promise<ModelMessage[]> {
  const budget = new AttachmentBudget();
  const sees = models.some((model) => model.capabilities?.vision !== false);
  const sent = [...messages];
  for (const [at, message] of [...messages.entries()].reverse()) {
    const isRecent = messages.length - at <= recent;
    sent[at] = await withFiles(message, (part) => {
      const as = sentAs(part);
      const isSent = as === "text" ? message.role === "user" : isRecent && takes(message, as, sees);
      if (files === undefined || as === "line" || !isSent) return line(part);
      return sentFile(part, as, { files, budget });
    });
  }
  return sent;
}

/** Whose turn may hold bytes: a user's, and of a tool's answer its images. */
function takes({ role }: ModelMessage, as: "image" | "document" | "line", sees: boolean): boolean {
  if (as === "image") return sees && (role === "user" || role === "tool");
  return role === "user";
}

type Send = (part: FileReference) => StoredPart | Promise<StoredPart>;

async function withFiles(message: ModelMessage, send: Send): Promise<ModelMessage> {
  const { result } = message;
  const parts = await sentParts(message.parts, send);
  if (result?.attachments === undefined) return parts === message.parts ? message : { ...message, parts };
  // What a model reads of a tool is its result: lines stand behind its words, images beside them.
  const attached = await sentParts(result.attachments.map(partOf), send);
  const words = (result.status === "error" ? result.error : result.result) ?? "";
  const lines = attached.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const text = [words, ...lines].filter((each) => each !== "").join("\n");
  return {
    ...message,
    parts: [...parts, ...attached.filter((part) => part.type !== "text")],
    result: resultWithText(result, text),
  };
}

/** The same list where no part refers to a file. */
async function sentParts(parts: StoredPart[], send: Send): Promise<StoredPart[]> {
  if (!parts.some(isReference)) return parts;
  const sent: StoredPart[] = [];
  for (const part of parts) sent.push(isReference(part) ? await send(part) : part);
  return sent;
}

function isReference(part: StoredPart): part is StoredPart & FileReference {
  return (part.type === "image" || part.type === "file") && part.path !== undefined && part.data === undefined;
}
