// Requests a draft, its check as JSON, and further drafts until a check finds no fault. The person sees only the last text: drafts and
// checks are silent messages.

import { defineStrategy } from "threadhold";
import type { StrategyDecision } from "threadhold";

/** The maximum number of checks. The draft after the last check is published, also if it has faults. */
const mostChecks = 3;

/** What the last step did, and the number of checks so far. */
interface State {
  did: "write" | "check" | "publish";
  checks: number;
}

/** The form of a check. */
const check = {
  name: "check",
  schema: {
    type: "object",
    additionalProperties: false,
    required: ["faults"],
    properties: { faults: { type: "array", items: { type: "string" } } },
  },
};

export default defineStrategy<"checked_draft", State>({
  name: "checked_draft",
  description: "Checks and rewrites a draft before the person sees it.",
  next: ({ last, state }) => {
    if (last === null || state === null) return write("Write a draft of the notice.", 0);
    const { did, checks } = state;
    if (did === "publish") return { type: "end", outcome: { checks } };
    if (did === "write") {
      const instruction = "Check the draft. List its faults, or none.";
      return {
        type: "step",
        phase: "check",
        silent: true,
        instruction,
        structure: check,
        state: { did: "check", checks: checks + 1 },
      };
    }
    const faults = faultsIn(last.data);
    if (faults.length > 0 && checks < mostChecks) return write(`Rewrite the draft. ${faults.join(" ")}`, checks);
    const instruction = "Answer with the text of the last draft and nothing else.";
    return { type: "step", phase: "publish", instruction, state: { did: "publish", checks } };
  },
});

function write(instruction: string, checks: number): StrategyDecision<State> {
  return { type: "step", phase: "write", silent: true, instruction, state: { did: "write", checks } };
}

/** The faults that a check lists. A model may answer with something else, which counts as none. */
function faultsIn(data: unknown): string[] {
  const faults = (data as { faults?: unknown } | null | undefined)?.faults;
  return Array.isArray(faults) ? faults.filter((fault) => typeof fault === "string") : [];
}
