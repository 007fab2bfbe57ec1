// The visible rows of a trace: without the nodes in folded ones, and with a child thread's steps under its call.

import type { RunNode, TraceNode } from "./trace-node.ts";

/** A node with its position in the tree. */
export interface TraceRow {
  node: TraceNode;
  level: number;
  /** Its index among its siblings, from 1, and their number. */
  place: number;
  siblings: number;
  parent: string | null;
  /** Null if it has no children. */
  open: boolean | null;
}

/** Keys of nodes whose state differs from the default: folded instead of open, or open instead of folded. */
export type Turned = ReadonlySet<string>;

/** Whether a node is open. By default all are, except child threads, which are loaded when the user opens them. */
function isOpen(node: TraceNode, turned: Turned): boolean {
  return (node.kind !== "child") !== turned.has(node.key);
}

/** The rows, from the top. `childOf` returns the steps of a child thread, once they are loaded. */
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
