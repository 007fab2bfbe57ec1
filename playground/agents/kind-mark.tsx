// The marks of the kinds of definitions. Each has a shape of its own, which the kind's nodes in the graph have too.

import type { ReactElement } from "react";

import type { Kind } from "./definition.ts";

const paths: Readonly<Record<Kind, string>> = {
  agent: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 7.2v1.6M5.6 6.4v3.2M10.400 6.400v3.200",
  prompt: "M3.500 2.500h6l3 3v8h-9zM9.500 2.500v3h3M5.800 8.500h4.400M5.800 11h3",
  tool: "M2.500 4h11v8h-11zM5 4v8",
  source:
    "M2.500 2.500h4.500v4.500h-4.500zM9 2.500h4.500v4.500h-4.500zM2.500 9h4.500v4.500h-4.500zM9 9h4.500v4.500h-4.500z",
  skill:
    "M8 4.200v9.300M8 4.200C6.500 3.200 4.500 3 2.500 3v9.300c2 0 4 .200 5.500 1.200 1.500-1 3.500-1.200 5.500-1.200V3c-2 0-4 .200-5.500 1.200Z",
  model: "M4.900 2.800h6.200L14.200 8l-3.100 5.200H4.900L1.800 8zM6.200 8h3.600",
};

/** The name of each kind, singular and plural. */
export const kindText: Readonly<Record<Kind, { one: string; many: string }>> = {
  agent: { one: "Agent", many: "Agents" },
  prompt: { one: "Prompt", many: "Prompts" },
  tool: { one: "Tool", many: "Tools" },
  source: { one: "Tool source", many: "Tool sources" },
  skill: { one: "Skill", many: "Skills" },
  model: { one: "Model", many: "Models" },
};

/** The mark. It is hidden from screen readers, so the text next to it has to name the kind. */
export function KindMark({ kind, size = 16 }: { kind: Kind; size?: number }): ReactElement {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 16 16" fill="none" focusable="false">
      <path d={paths[kind]} stroke="currentColor" strokeWidth={1.3} strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
