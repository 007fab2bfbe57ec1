// Lays out the nodes of a graph: a node is to the left of the nodes that it uses. Each connected part is laid out separately; then the
// parts fill columns. The graph takes the width of the page at full size, and as much height as it needs.

import { Graph, layout } from "@dagrejs/dagre";
import type { Point } from "@dagrejs/dagre";

import type { DefinitionGraph, GraphEdge, GraphNode } from "./definition-graph.ts";
import { formFor } from "./graph-size.ts";
import type { GraphForm } from "./graph-size.ts";

/** The width of a character of an edge's label, and the height of the label, in pixels. */
const labelSize = { character: 6.5, height: 16 } as const;
const mostColumns = 8;
/** `widest` is the largest space between two ranks, however wide the page is. */
const gap = { inColumn: 12, betweenParts: 40, widest: 190 } as const;

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
  /** The form of its nodes. */
  form: GraphForm;
}

/** Lays a graph out for a page of this width in pixels. */
export function placeGraph(graph: DefinitionGraph, width: number): PlacedGraph {
  const parts = partsOf(graph);
  const form = formFor(
    graph.nodes.map(({ name }) => name),
    Math.max(1, ...parts.map((part) => rankPart(part, 0).ranks)),
    width,
  );
  const ranked = parts
    .map((part) => rankPart(part, form.height, form.labels))
    .toSorted((one, other) => other.ranks - one.ranks);
  const columns = columnsFor(ranked, form, width);
  return { ...inColumns(ranked, columns, spread(ranked, { columns, form, width })), form };
}

/** The number of columns at which the graph is the lowest, of those that fit into the width. */
function columnsFor(parts: readonly RankedPart[], form: GraphForm, width: number): number {
  let best = { columns: 1, height: inColumns(parts, 1, form).height };
  for (let columns = 2; columns <= Math.min(parts.length, mostColumns); columns += 1) {
    const placed = inColumns(parts, columns, form);
    if (placed.width <= width && placed.height < best.height) best = { columns, height: placed.height };
  }
  return best.columns;
}

/** The form with the largest space between ranks at which the columns fit into the width. */
function spread(
  parts: readonly RankedPart[],
  { columns, form, width }: { columns: number; form: GraphForm; width: number },
): GraphForm {
  const narrow = inColumns(parts, columns, form).width;
  const more = inColumns(parts, columns, { ...form, gap: form.gap + 1 }).width - narrow;
  const added = more === 0 ? 0 : Math.max(0, (width - narrow) / more);
  return { ...form, gap: Math.min(gap.widest, form.gap + added) };
}

/** Stacks the parts in columns of similar heights, the widest parts first, because a column is as wide as its widest part. */
function inColumns(
  parts: readonly RankedPart[],
  columns: number,
  form: GraphForm,
): Pick<PlacedGraph, "nodes" | "edges" | "width" | "height"> {
  const enough = parts.reduce((sum, { height }) => sum + height + gap.betweenParts, 0) / columns;
  const nodes: PlacedNode[] = [];
  const edges: PlacedEdge[] = [];
  let [x, y, columnWidth, width, height] = [0, 0, 0, 0, 0];
  for (const part of parts) {
    // A part whose middle would be below the column's share of the height starts the next column.
    if (y > 0 && y + part.height / 2 > enough) [x, y, columnWidth] = [x + columnWidth + gap.betweenParts, 0, 0];
    const corner = { x, y };
    const placed = placePart(part, form);
    nodes.push(...placed.nodes.map((node) => ({ ...node, x: node.x + corner.x, y: node.y + corner.y })));
    edges.push(...placed.edges.map(({ points, ...edge }) => drawn(edge, points, corner)));
    columnWidth = Math.max(columnWidth, placed.width);
    width = Math.max(width, x + placed.width);
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

/** A connected part of the graph. Its horizontal coordinates count ranks: a node of the second rank has 1. */
interface RankedPart {
  nodes: PlacedNode[];
  edges: PointedEdge[];
  ranks: number;
  height: number;
}

/** Lays out a part with nodes of this height. */
function rankPart({ nodes, edges }: DefinitionGraph, nodeHeight: number, labels = false): RankedPart {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: gap.inColumn, edgesep: 8, ranksep: 20 });
  for (const { id } of nodes) graph.setNode(id, { width: 100, height: nodeHeight });
  for (const { from, to, label } of edges) {
    const size = labels ? { width: label.length * labelSize.character, height: labelSize.height } : {};
    graph.setEdge(from, to, { ...size, labelpos: "c" });
  }
  layout(graph);
  const middleOf = (id: string): Point => graph.node(id) as Point;
  const ranks = [...new Set(nodes.map(({ id }) => Math.round(middleOf(id).x)))].toSorted((one, other) => one - other);
  const inRanks = ({ x, y }: Point): Point => ({ x: rankOf(x, ranks), y });
  const pointed = edges.map((edge) => {
    const { x = 0, y = 0, points = [] } = graph.edge(edge.from, edge.to) as Partial<Point> & { points?: Point[] };
    return { ...edge, points: points.map(inRanks), labelAt: inRanks({ x, y }) };
  });
  const placed = nodes.map((node) => {
    const { x, y } = inRanks(middleOf(node.id));
    return { ...node, x: Math.round(x), y: y - nodeHeight / 2 };
  });
  const tops = [...placed.map(({ y }) => y), ...pointed.flatMap(({ points }) => points.map(({ y }) => y))];
  const bottoms = [...placed.map(({ y }) => y + nodeHeight), ...tops];
  const top = Math.min(...tops);
  const raised = <P extends Point>(point: P): P => ({ ...point, y: point.y - top });
  return {
    nodes: placed.map(raised),
    edges: pointed.map((edge) => ({ ...edge, points: edge.points.map(raised), labelAt: raised(edge.labelAt) })),
    ranks: ranks.length,
    height: Math.max(...bottoms) - top,
  };
}

/** The rank at a coordinate, with a fraction between two ranks. */
function rankOf(x: number, ranks: readonly number[]): number {
  const next = ranks.findIndex((at) => at >= x);
  if (next === 0) return 0;
  if (next === -1) return ranks.length - 1;
  const [left, right] = [ranks[next - 1] ?? 0, ranks[next] ?? 0];
  const rank = next - 1 + (x - left) / (right - left);
  return Math.abs(rank - Math.round(rank)) < 0.02 ? Math.round(rank) : rank;
}

/** Converts ranks to pixels. */
function placePart(
  { nodes, edges, ranks }: RankedPart,
  form: GraphForm,
): { nodes: PlacedNode[]; edges: PointedEdge[]; width: number } {
  const { width, gap: between } = form;
  const left = (rank: number): number => rank * (width + between);
  const placed = nodes.map((node) => ({ ...node, x: left(node.x) }));
  const nodeOf = new Map(placed.map((node) => [node.id, node]));
  // A line that passes a rank is horizontal along the nodes of that rank, so that it does not cross them.
  const along = ({ x, y }: Point): Point[] =>
    Number.isInteger(x)
      ? [
          { x: left(x), y },
          { x: left(x) + width, y },
        ]
      : [{ x: left(x) + width / 2, y }];
  return {
    nodes: placed,
    edges: edges.map((edge) => ({
      ...edge,
      points: anchored(edge.points.slice(1, -1).map(along), [nodeOf.get(edge.from), nodeOf.get(edge.to)], form),
      labelAt: { x: left(edge.labelAt.x) + width / 2, y: edge.labelAt.y },
    })),
    width: left(ranks - 1) + width,
  };
}

/**
 * A line starts at the right side of its source and ends at the left side of its target. If the target is to the left of the source, the
 * line starts at the left side and ends at the right side.
 */
function anchored(
  passed: readonly (readonly Point[])[],
  [source, target]: readonly [PlacedNode | undefined, PlacedNode | undefined],
  { width, height }: GraphForm,
): Point[] {
  if (source === undefined || target === undefined) return passed.flat();
  const middle = height / 2;
  const right = source.x + width;
  if (source === target) {
    return [-1, 0, 1].map((at) => ({ x: right + (at === 0 ? 16 : 0), y: source.y + middle + at * 10 }));
  }
  const back = target.x < source.x;
  return [
    { x: back ? source.x : right, y: source.y + middle },
    ...passed.flatMap((points) => (back ? points.toReversed() : points)),
    { x: back ? target.x + width : target.x, y: target.y + middle },
  ];
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
