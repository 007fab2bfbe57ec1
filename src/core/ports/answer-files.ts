// The port that stores parts of tool results and model answers as files, when they do not fit a row.

import type { StoredPart } from "../record.ts";
import type { ToolAnswer } from "./tool-port.ts";

/** The call an answer belongs to. `message_id` is that of its tool message and the same when the call is run again. */
interface AnsweredCall {
  message_id: string;
  name: string;
  /** Ends what the files of an answer have to wait for; what is not written by then is said not to be kept. */
  signal?: AbortSignal | undefined;
}

/**
 * Contract: never rejects. The answer comes back with texts that fit a row, the whole of a longer one in a file of the
 * thread, and with attachments that are files of the thread. What could not be kept is said in the text the model reads.
 */
export interface AnswerFiles {
  keep(answer: ToolAnswer, call: AnsweredCall): Promise<ToolAnswer>;
  /** Stores the pictures among a model answer's parts as files of the thread. A picture that cannot be stored becomes a line with the reason. */
  keepPictures(parts: StoredPart[]): Promise<StoredPart[]>;
}
