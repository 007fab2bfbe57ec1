// The grammar that every stream of parts follows, checked the same way for each provider. Faults are returned as sentences.

import type { ModelPart } from "#core/ports/model-port.ts";

const ends: Partial<Record<ModelPart["type"], ModelPart["type"]>> = {
  text_end: "text_start",
  thinking_end: "thinking_start",
  toolcall_end: "toolcall_start",
  media_end: "media_start",
  provider_tool_end: "provider_tool_start",
  text_delta: "text_start",
  thinking_delta: "thinking_start",
  toolcall_delta: "toolcall_start",
  media_delta: "media_start",
};

/** Faults of a stream: blocks out of order, deltas outside their block, more or less than one end. */
export function grammarFaults(parts: readonly ModelPart[]): string[] {
  const faults: string[] = [];
  const open = new Map<number, ModelPart["type"]>();
  let next = 0;
  for (const [position, part] of parts.entries()) {
    const isLast = position === parts.length - 1;
    if (part.type === "finish" || part.type === "error") {
      if (!isLast) faults.push(`${part.type} is followed by more`);
      if (part.type === "finish" && open.size > 0) faults.push(`finish leaves ${[...open.values()].join()} open`);
      continue;
    }
    if (isLast) faults.push(`the stream ends with ${part.type}`);
    if (part.type === "raw") continue;
    if (part.type.endsWith("_start")) {
      if (part.index !== next) faults.push(`block ${part.index} begins where ${next} was due`);
      next = part.index + 1;
      open.set(part.index, part.type);
      continue;
    }
    if (open.get(part.index) !== ends[part.type]) faults.push(`${part.type} outside block ${part.index}`);
    if ("delta" in part && part.delta === "") faults.push("an empty delta");
    if (part.type.endsWith("_end")) open.delete(part.index);
  }
  if (parts.length === 0) faults.push("the stream is empty");
  return faults;
}
