// The port that stores parts of tool results and model answers as files, when they do not fit a row.

import type { ToolAnswer } from "../record/awaited.ts";
import type { StoredPart } from "../record/record.ts";

/** The call that a result belongs to. A call that runs again has the same `message_id`, the id of its tool message. */
interface AnsweredCall {
  message_id: string;
  name: string;
  /** Aborts the storing of files. The result's text names the files that were not stored. */
  signal?: AbortSignal | undefined;
}

/**
 * Contract: never rejects.
 */
export interface AnswerFiles {
  /**
   * Stores texts that do not fit a row, and attachments, as files of the thread. Returns the result with shortened texts and references
   * to the files. The text that the model reads names what could not be stored.
   */
  keep(answer: ToolAnswer, call: AnsweredCall): Promise<ToolAnswer>;
  /**
   * Stores the images and the audio of a model's answer as files of the thread. A part that cannot be stored becomes a line of text with
   * the reason.
   */
  keepMedia(parts: StoredPart[]): Promise<StoredPart[]>;
}
