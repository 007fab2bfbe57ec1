// The rows of a trace as they are shown: what is folded is left out, and what a child thread did stands under its call.

import type { RunNode, TraceNode } from "./trace-node.ts";

/** A node where it stands. */
export interface TraceRow {
  node: TraceNode;
  level: number;
  /** Place among its siblings, from 1, and how many these are. */
  place: number;
  siblings: number;
  parent: string | null;
  /** Null where there is nothing to open. */
  open: boolean | null;
}

/** Keys that are folded although they would be open, and the other way round: children are asked for when they are opened. */
export type Turned = ReadonlySet<string>;

/** What is open without anybody asking: all but child threads, which are read when somebody looks. */
function isOpen(node: TraceNode, turned: Turned): boolean {
  return (node.kind !== "child") !== turned.has(node.key);
}

/** The rows, from the top. `childOf` gives what a child thread did, once it was read. */
export function traceRows(
  root: RunNode,
  turned: Turned,
  childOf: (node: TraceNode) => readonly TraceNode[] = ({ children }) => children,
): TraceRow[] {
  const rows: TraceRow[] = [];
  const put = (nodes: readonly TraceNode[], level: number, parent: string | null): void => {
    nodes.forEach((node, at) => {
      const opens = node.kind === "child" || node.children.length > 0;
      const open = opens ? isOpen(node, turned) : null;
      rows.push({ node, level, place: at + 1, siblings: nodes.length, parent, open });
      if (open === true) put(node.kind === "child" ? childOf(node) : node.children, level + 1, node.key);
    });
  };
  put([root], 1, null);
  return rows;
}
