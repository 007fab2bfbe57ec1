// Estimates the tokens of messages before their files are loaded, to decide whether a request fits into the model's context. Files are
// counted by their stored sizes, or as the line of text that is sent in their place.

import { isTextType } from "#lib/text-type.ts";

import { messageTokens, tokensOf } from "../model/estimate-tokens.ts";
import type { ModelMessage } from "../ports/model-port.ts";
import { partOf } from "../record/attachment-view.ts";
import type { StoredPart } from "../record/record.ts";

/** Tokens of the line that names a file. */
const lineTokens = 30;

/** The maximum number of bytes of a text file that is sent as text (`attachment-budget.ts`). */
const textFileBytes = 64 * 1024;

/** Estimated tokens of a message. If `files` is false, its files are sent as a line of text with their name. */
export function contextTokens(message: ModelMessage, files: boolean): number {
  const ofPart = files ? withSentFiles : withNamedFiles;
  const tokens = messageTokens(message, ofPart);
  const attached = message.role === "tool" ? message.result?.attachments : undefined;
  if (attached === undefined) return tokens;
  return attached.reduce((sum, reference) => sum + ofPart(partOf(reference)), tokens);
}

/** Counts the tokens of each message of a request. A message that is unchanged since the previous request is not counted again. */
export class TokenEstimates {
  #messages: readonly ModelMessage[] = [];
  #files = 0;
  #tokens: readonly number[] = [];

  /** `files` is the index of the first message whose files are sent. */
  of(messages: readonly ModelMessage[], files: number): readonly number[] {
    const [before, filesBefore, counted] = [this.#messages, this.#files, this.#tokens];
    const tokens: number[] = [];
    for (let at = 0; at < messages.length; at += 1) {
      const message = messages[at] as ModelMessage;
      const isSame = at < before.length && before[at] === message && at >= files === at >= filesBefore;
      tokens.push(isSame ? (counted[at] as number) : contextTokens(message, at >= files));
    }
    this.#messages = messages;
    this.#files = files;
    this.#tokens = tokens;
    return tokens;
  }
}

/** Tokens of a part whose file is sent. */
const withSentFiles = (part: StoredPart) => (isFile(part) ? fileTokens(part, true) : tokensOf(part));

/** Tokens of a part whose file is sent as a line of text. */
const withNamedFiles = (part: StoredPart) => (isFile(part) ? fileTokens(part, false) : tokensOf(part));

function isFile(part: StoredPart): part is Extract<StoredPart, { type: "image" | "file" }> {
  return part.type === "image" || part.type === "file";
}

function fileTokens(part: Extract<StoredPart, { type: "image" | "file" }>, sent: boolean): number {
  if (!sent) return lineTokens;
  if (part.data !== undefined) return tokensOf(part);
  const { size = 0, mime_type } = part;
  if (isTextType(mime_type)) return lineTokens + (size <= textFileBytes ? Math.ceil(size / 4) : 0);
  return lineTokens + Math.min(Math.max(Math.floor(size / 750), 85), 16_000);
}
