// Lays out the nodes of a graph: a node is to the left of the nodes that it uses. Each connected part is laid out separately; then the
// parts fill columns.

import { Graph, layout } from "@dagrejs/dagre";
import type { Point } from "@dagrejs/dagre";

import type { DefinitionGraph, GraphEdge, GraphNode } from "./definition-graph.ts";

/** The size of a node in pixels. */
export const nodeSize = { width: 176, height: 44 } as const;

/** The width of a character of an edge's label, and the height of the label, in pixels. */
const labelSize = { character: 6, height: 14 } as const;
const mostColumns = 8;
const gap = { inColumn: 14, betweenRanks: 26, betweenParts: 44 } as const;

/** A node with the position of its upper left corner. */
export interface PlacedNode extends GraphNode {
  x: number;
  y: number;
}

/** An edge with its line, and the middle of its label. */
export interface PlacedEdge extends GraphEdge {
  line: string;
  labelAt: Point;
}

/** A graph that has been laid out. */
export interface PlacedGraph {
  nodes: readonly PlacedNode[];
  edges: readonly PlacedEdge[];
  width: number;
  height: number;
}

/** The available space for a graph, in pixels. */
export interface GraphSpace {
  width: number;
  height: number;
}

/** The zoom at which the whole graph is visible, at most 1. */
export function fittingZoom({ width, height }: GraphSpace, space: GraphSpace): number {
  return Math.min(1, space.width / width, space.height / height);
}

/** Lays a graph out in the number of columns at which the whole graph is visible at the largest zoom. */
export function placeGraph(graph: DefinitionGraph, space: GraphSpace): PlacedGraph {
  const parts = partsOf(graph)
    .map(placePart)
    .toSorted((one, other) => other.width - one.width);
  let best = inColumns(parts, 1);
  for (let columns = 2; columns <= Math.min(parts.length, mostColumns); columns += 1) {
    const other = inColumns(parts, columns);
    if (fittingZoom(other, space) > fittingZoom(best, space)) best = other;
  }
  return best;
}

/** Stacks the parts in columns of similar heights, the widest parts first, because a column is as wide as its widest part. */
function inColumns(parts: readonly PlacedPart[], columns: number): PlacedGraph {
  const enough = parts.reduce((sum, { height }) => sum + height + gap.betweenParts, 0) / columns;
  const nodes: PlacedNode[] = [];
  const edges: PlacedEdge[] = [];
  let [x, y, columnWidth, width, height] = [0, 0, 0, 0, 0];
  for (const part of parts) {
    // A part whose middle would be below the column's share of the height starts the next column.
    if (y > 0 && y + part.height / 2 > enough) [x, y, columnWidth] = [x + columnWidth + gap.betweenParts, 0, 0];
    const corner = { x, y };
    nodes.push(...part.nodes.map((node) => ({ ...node, x: node.x + corner.x, y: node.y + corner.y })));
    edges.push(...part.edges.map(({ points, ...edge }) => drawn(edge, points, corner)));
    columnWidth = Math.max(columnWidth, part.width);
    width = Math.max(width, x + part.width);
    height = Math.max(height, y + part.height);
    y += part.height + gap.betweenParts;
  }
  return { nodes, edges, width, height };
}

/** The connected parts of the graph, in the order of their nodes. */
function partsOf({ nodes, edges }: DefinitionGraph): DefinitionGraph[] {
  const neighbours = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { from, to } of edges) {
    neighbours.get(from)?.push(to);
    neighbours.get(to)?.push(from);
  }
  const partOf = new Map<string, number>();
  let count = 0;
  for (const { id } of nodes) {
    if (partOf.has(id)) continue;
    const open = [id];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (partOf.has(next)) continue;
      partOf.set(next, count);
      open.push(...(neighbours.get(next) ?? []));
    }
    count += 1;
  }
  return Array.from({ length: count }, (_, part) => ({
    nodes: nodes.filter(({ id }) => partOf.get(id) === part),
    edges: edges.filter(({ from }) => partOf.get(from) === part),
  }));
}

type PointedEdge = GraphEdge & { points: readonly Point[]; labelAt: Point };

interface PlacedPart {
  nodes: PlacedNode[];
  edges: PointedEdge[];
  width: number;
  height: number;
}

function placePart({ nodes, edges }: DefinitionGraph): PlacedPart {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: gap.inColumn, edgesep: 8, ranksep: gap.betweenRanks });
  for (const { id } of nodes) graph.setNode(id, { ...nodeSize });
  for (const { from, to, label } of edges) {
    const width = label.length * labelSize.character;
    graph.setEdge(from, to, { width, height: labelSize.height, labelpos: "c" });
  }
  layout(graph);
  const placed = nodes.map((node) => {
    const { x, y } = graph.node(node.id) as Point;
    return { ...node, x: x - nodeSize.width / 2, y: y - nodeSize.height / 2 };
  });
  const pointed = edges.map((edge) => {
    const { x, y, points = [] } = graph.edge(edge.from, edge.to) as Point & { points?: Point[] };
    return { ...edge, points: anchored(points, edge, placed), labelAt: { x, y } };
  });
  return shifted(placed, pointed);
}

/**
 * A line starts at the right side of its source and ends at the left side of its target. If the target is to the left of the source, the
 * line starts at the left side and ends at the right side.
 */
function anchored(points: readonly Point[], { from, to }: GraphEdge, nodes: readonly PlacedNode[]): Point[] {
  const source = nodes.find(({ id }) => id === from);
  const target = nodes.find(({ id }) => id === to);
  if (source === undefined || target === undefined || source === target) return [...points];
  const back = target.x < source.x;
  const middle = nodeSize.height / 2;
  return [
    { x: source.x + (back ? 0 : nodeSize.width), y: source.y + middle },
    ...points.slice(1, -1),
    { x: target.x + (back ? nodeSize.width : 0), y: target.y + middle },
  ];
}

/** Moves nodes and lines so that the smallest coordinate of each axis is 0. */
function shifted(nodes: PlacedNode[], edges: PointedEdge[]): PlacedPart {
  const corners = [
    ...nodes.flatMap(({ x, y }) => [
      { x, y },
      { x: x + nodeSize.width, y: y + nodeSize.height },
    ]),
    ...edges.flatMap(({ points }) => points),
  ];
  const left = Math.min(...corners.map(({ x }) => x));
  const top = Math.min(...corners.map(({ y }) => y));
  const move = <P extends Point>(point: P): P => ({ ...point, x: point.x - left, y: point.y - top });
  return {
    nodes: nodes.map(move),
    edges: edges.map((edge) => ({ ...edge, points: edge.points.map(move), labelAt: move(edge.labelAt) })),
    width: Math.max(...corners.map(({ x }) => x)) - left,
    height: Math.max(...corners.map(({ y }) => y)) - top,
  };
}

/** A curve that is horizontal at each of the points, so that the lines of one column run in parallel. */
function drawn(edge: GraphEdge & { labelAt: Point }, points: readonly Point[], by: Point): PlacedEdge {
  const at = points.map(({ x, y }) => ({ x: x + by.x, y: y + by.y }));
  const [start, ...rest] = at;
  const pieces = start === undefined ? [] : [`M${start.x},${start.y}`];
  for (const [index, { x, y }] of rest.entries()) {
    const before = at[index] ?? { x, y };
    const middle = (before.x + x) / 2;
    pieces.push(`C${middle},${before.y} ${middle},${y} ${x},${y}`);
  }
  return { ...edge, line: pieces.join(" "), labelAt: { x: edge.labelAt.x + by.x, y: edge.labelAt.y + by.y } };
}
