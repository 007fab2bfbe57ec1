// Stores the files of messages in the thread before the messages are admitted. If a message is refused, or turns out to be a repeated one,
// its files are deleted again.

import { refuse } from "#contract/error.ts";
import type { StoredPart } from "#core/record/record.ts";

import { incomingParts } from "./incoming-file.ts";
import type { MessageInput } from "./incoming-file.ts";
import { pendingAttachments } from "./pending-attachments.ts";
import type { AttachmentContext } from "./pending-attachments.ts";
import { storeAttachments } from "./store-attachments.ts";
import type { AttachmentPorts, StoredAttachments } from "./store-attachments.ts";

/** The parts that an input with files needs. `gone` is true after a deletion during an await. */
interface AdmittingContext extends AttachmentContext {
  driver: { readonly gone: boolean };
}

/**
 * Stores the files of one message in the thread. Returns the message's parts with references to the files; without files the parts are
 * unchanged. The caller calls `claim` right before it writes the message, or `discard` if it does not write it.
 */
export async function takeMessageFiles(
  context: AdmittingContext,
  input: MessageInput,
): Promise<Pick<StoredAttachments, "claim" | "discard"> & { parts: StoredPart[] }> {
  const { messages, claim, discard } = await storeAttachments([incomingParts(input, "")], fileTaker(context));
  return { parts: messages[0] ?? [], claim, discard };
}

/**
 * Stores the files of a new thread's first messages. Returns their parts in order. The caller calls `claim` right before it writes the
 * messages.
 */
export async function initialParts(
  context: AdmittingContext,
  inputs: readonly MessageInput[],
): Promise<Pick<StoredAttachments, "messages" | "claim">> {
  const incoming = inputs.map((input, index) => incomingParts(input, `initial_messages.${index}.`));
  return storeAttachments(incoming, fileTaker(context));
}

/** Stores the files of the user messages of a transcript. A refusal names the position of the message in the client's request. */
export async function transcriptParts(
  context: AdmittingContext,
  inputs: readonly (MessageInput & { index: number })[],
): Promise<Pick<StoredAttachments, "messages" | "claim">> {
  const incoming = inputs.map((input) => incomingParts(input, `transcript.${input.index}.`));
  return storeAttachments(incoming, fileTaker(context));
}

function fileTaker(context: AdmittingContext): AttachmentPorts {
  const { deployment, live, files, driver } = context;
  const { outbound, clock } = deployment;
  return {
    files,
    images: deployment.files.images,
    outbound,
    clock,
    newId: () => live.uuids.next(),
    pending: pendingAttachments(context),
    assertNotDeleted: () => {
      if (driver.gone) throw refuse("thread_not_found", "There is no such thread.");
    },
  };
}
