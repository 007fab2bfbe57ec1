// The files of a message around its admission: taken in before it, removed again when the message is refused after all or
// turns out to be one that was admitted before.

import { refuse } from "#contract/error.ts";
import type { FileVersion } from "#core/ports/thread-files.ts";
import type { StoredPart } from "#core/record.ts";
import type { Admission } from "#core/thread-rpc.ts";

import type { ObjectContext } from "../object-context.ts";
import { incomingParts } from "./incoming-file.ts";
import type { MessageInput } from "./incoming-file.ts";
import { takeFiles } from "./taken-files.ts";
import type { FileTaker, TakenFiles } from "./taken-files.ts";
import { unclaimedFiles } from "./unclaimed-files.ts";

/** Who knows whether the thread still is. */
interface Presence {
  readonly gone: boolean;
}

/** Admits a message with its files. `admit` calls `claim` where it goes on to write the message, without a wait in between. */
export async function withTakenFiles(
  context: ObjectContext,
  presence: Presence,
  {
    input,
    admit,
  }: { input: MessageInput; admit: (parts: StoredPart[], claim: () => FileVersion[]) => Promise<Admission> },
): Promise<Admission> {
  const { messages, claim, discard } = await takeFiles([incomingParts(input, "")], fileTaker(context, presence));
  try {
    const admission = await admit(messages[0] ?? [], claim);
    if (admission.repeated) discard();
    return admission;
  } catch (thrown) {
    discard();
    throw thrown;
  }
}

/** The parts of a new thread's first messages, in order; claimed as any message's are. */
export async function initialParts(
  context: ObjectContext,
  presence: Presence,
  inputs: readonly MessageInput[],
): Promise<Pick<TakenFiles, "messages" | "claim">> {
  const incoming = inputs.map((input, index) => incomingParts(input, `initial_messages.${index}.`));
  return takeFiles(incoming, fileTaker(context, presence));
}

/** The same for the user messages of a transcript. A refusal names the place of the message in the client's request. */
export async function transcriptParts(
  context: ObjectContext,
  presence: Presence,
  inputs: readonly (MessageInput & { index: number })[],
): Promise<Pick<TakenFiles, "messages" | "claim">> {
  const incoming = inputs.map((input) => incomingParts(input, `transcript.${input.index}.`));
  return takeFiles(incoming, fileTaker(context, presence));
}

function fileTaker({ files, images, outbound, clock, live }: ObjectContext, presence: Presence): FileTaker {
  return {
    files,
    images,
    outbound,
    clock,
    newId: () => live.uuids.next(),
    unclaimed: unclaimedFiles({ live, files }),
    mustBeThere: () => {
      if (presence.gone) throw refuse("thread_not_found", "There is no such thread.");
    },
  };
}
