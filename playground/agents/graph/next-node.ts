// Finds the node that an arrow key leads to: right to a definition that the node uses, left to one that uses it, up and
// down to the next node in that direction.

import type { PlacedGraph, PlacedNode } from "./graph-layout.ts";

export type Arrow = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

/** The node that receives the focus; null if there is none in that direction. */
export function nextNode(
  { nodes, edges }: Pick<PlacedGraph, "nodes" | "edges">,
  id: string,
  arrow: Arrow,
): string | null {
  const here = nodes.find((node) => node.id === id);
  if (here === undefined) return null;
  if (arrow === "ArrowUp" || arrow === "ArrowDown") {
    const way = arrow === "ArrowUp" ? -1 : 1;
    return nearest(
      nodes.filter(({ y }) => (y - here.y) * way > 0),
      // Prefers nodes in the same column.
      ({ x, y }) => Math.abs(y - here.y) + Math.abs(x - here.x) * 4,
    );
  }
  const linked = edges.flatMap(({ from, to }) => {
    if (arrow === "ArrowRight") return from === id ? [to] : [];
    return to === id ? [from] : [];
  });
  return nearest(
    nodes.filter((node) => node.id !== id && linked.includes(node.id)),
    ({ x, y }) => Math.abs(y - here.y) + Math.abs(x - here.x) / 4,
  );
}

function nearest(nodes: readonly PlacedNode[], distance: (node: PlacedNode) => number): string | null {
  let best: PlacedNode | null = null;
  for (const node of nodes) if (best === null || distance(node) < distance(best)) best = node;
  return best?.id ?? null;
}
