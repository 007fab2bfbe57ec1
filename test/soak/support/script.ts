// The instructions for the scripted model, written in the message itself, so that the model needs no memory: `t3.7
// use:pay,book use:ship say:24` makes two calls side by side, then one, then answers with 24 words.

/**
 * The tools, by what happens after a crash: `pay` runs at most once, `book` runs again under its key, `ship` is
 * reconciled; and `helper`, an agent that answers in a thread of its own.
 */
export const toolNames = ["pay", "book", "ship", "helper"] as const;
export type ToolName = (typeof toolNames)[number];

/** One step of an answer: calls side by side after a few words, or the final words. */
export type ScriptStep = { tools: ToolName[] } | { words: number };

/** The answer that a message asks for. */
export interface Script {
  steps: ScriptStep[];
  /** Seconds of the Retry-After with which the first request is refused (429); 0 for no refusal. */
  refusedFor: number;
  /** Milliseconds between two words; 0 sends without pauses. */
  paceMs: number;
}

/** Returns a message that contains a script. `mark` is its thread's name and its number there. */
export function scriptedMessage(mark: string, { steps, refusedFor, paceMs }: Script): string {
  const words = steps.map((step) => ("tools" in step ? `use:${step.tools.join(",")}` : `say:${String(step.words)}`));
  return [
    mark,
    ...(refusedFor > 0 ? [`refused:${String(refusedFor)}`] : []),
    ...(paceMs > 0 ? [`pace:${String(paceMs)}`] : []),
    ...words,
  ].join(" ");
}

/** Returns the mark and the script of a message. Throws for any other text. */
export function readScript(text: string): { mark: string; script: Script } {
  const [mark = "", ...words] = text.split(" ");
  if (!/^[a-z0-9]+\.\d+(\.\d+\.\d+)?$/.test(mark)) throw new Error(`No mark in "${text}"`);
  const script: Script = { steps: [], refusedFor: 0, paceMs: 0 };
  for (const word of words) {
    const [verb, given = ""] = word.split(":");
    if (verb === "refused") script.refusedFor = Number(given);
    else if (verb === "pace") script.paceMs = Number(given);
    else if (verb === "use") script.steps.push({ tools: given.split(",").filter(isTool) });
    else if (verb === "say") script.steps.push({ words: Number(given) });
    else throw new Error(`"${word}" is no part of a script`);
  }
  return { mark, script };
}

/** The message that a call of `helper` sends. `call` is the call's number in its run. */
export function helperMessage(mark: string, call: string): string {
  return scriptedMessage(helperMark(mark, call), { steps: [{ words: 15 }], refusedFor: 0, paceMs: 0 });
}

/** The mark of a helper's message: the mark of the message whose answer calls the helper, and the call's number. */
export function helperMark(mark: string, call: string): string {
  return `${mark}.${call}`;
}

/** Whether a mark belongs to a helper's message. */
export function isHelperMark(mark: string): boolean {
  return mark.split(".").length > 2;
}

/** The thread that a mark belongs to. The mark of a helper belongs to the thread that called it. */
export function threadOf(mark: string): string {
  return mark.slice(0, mark.indexOf("."));
}

function isTool(name: string): name is ToolName {
  return (toolNames as readonly string[]).includes(name);
}
