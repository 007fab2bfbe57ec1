// Converts the files that messages refer to for a model request: recent images and documents become bytes, short text files become
// text, and others become a line (decisions 16, 19: old images, capabilities of models). Files are read when a step is prepared, newest
// message first, and within a budget, so that a request fits into an object's memory.

import type { AnyModelDefinition } from "#spec/index.ts";

import { partOf } from "../attachment-view.ts";
import type { ModelMessage } from "../ports/model-port.ts";
import type { ThreadFiles } from "../ports/thread-file-port.ts";
import type { StoredPart } from "../record.ts";
import { AttachmentBudget } from "./attachment-budget.ts";
import { resultWithText } from "./request-messages.ts";
import { fileLine, sentAs, sentFile } from "./sent-file.ts";
import type { FileReference } from "./sent-file.ts";

/** The number of recent messages whose images are sent if the prompt sets none (Standard Agents, recentImageThreshold). */
const defaultRecent = 10;

/** The data that decides how files are sent. */
export interface AttachmentView {
  /** The thread's files. If undefined, each file is sent as a line with its name. */
  files: ThreadFiles | undefined;
  /** The models that the request may go to. If none of them accepts images, no image is read. */
  models: readonly AnyModelDefinition[];
  /** The prompt's `recentImageThreshold`: messages, counted from the end. */
  recent: number | undefined;
}

/** The messages with the contents of their files. The stored records are not changed. */
export async function withAttachments(
  messages: readonly ModelMessage[],
  { files, models, recent = defaultRecent }: AttachmentView,
): Promise<ModelMessage[]> {
  const budget = new AttachmentBudget();
  const hasVision = models.some((model) => model.capabilities?.vision !== false);
  const sent = [...messages];
  for (const [at, message] of [...messages.entries()].reverse()) {
    const isRecent = messages.length - at <= recent;
    sent[at] = await withFiles(message, (part) => {
      const as = sentAs(part);
      const isSent = as === "text" ? message.role === "user" : isRecent && canContain(message, as, hasVision);
      if (files === undefined || as === "line" || !isSent) return fileLine(part);
      return sentFile(part, as, { files, budget });
    });
  }
  return sent;
}

/** Whether the bytes of a file may be sent in a message: images of users and tool results, documents of users only. */
function canContain({ role }: ModelMessage, as: "image" | "document" | "line", sees: boolean): boolean {
  if (as === "image") return sees && (role === "user" || role === "tool");
  return role === "user";
}

type Send = (part: FileReference) => StoredPart | Promise<StoredPart>;

async function withFiles(message: ModelMessage, send: Send): Promise<ModelMessage> {
  const { result } = message;
  const parts = await sentParts(message.parts, send);
  if (result?.attachments === undefined) return parts === message.parts ? message : { ...message, parts };
  // A model reads a tool's result as text, so lines about files are appended to that text. Images are separate parts.
  const attached = await sentParts(result.attachments.map(partOf), send);
  const resultText = (result.status === "error" ? result.error : result.result) ?? "";
  const lines = attached.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const text = [resultText, ...lines].filter((each) => each !== "").join("\n");
  return {
    ...message,
    parts: [...parts, ...attached.filter((part) => part.type !== "text")],
    result: resultWithText(result, text),
  };
}

/** Replaces the parts that refer to a file. Returns the same list if there are none. */
async function sentParts(parts: StoredPart[], send: Send): Promise<StoredPart[]> {
  if (!parts.some(isReference)) return parts;
  const sent: StoredPart[] = [];
  for (const part of parts) sent.push(isReference(part) ? await send(part) : part);
  return sent;
}

function isReference(part: StoredPart): part is StoredPart & FileReference {
  return (part.type === "image" || part.type === "file") && part.path !== undefined && part.data === undefined;
}
