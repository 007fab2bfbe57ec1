// Draws a node and an edge of the graph. A node is a link to its definition's page; its outline shows its kind.

import { BaseEdge, EdgeLabelRenderer, Handle, Position } from "@xyflow/react";
import type { Edge, EdgeProps, Node, NodeProps } from "@xyflow/react";
import { createContext, memo, useContext } from "react";
import type { ReactElement } from "react";
import { Link } from "wouter";

import { definitionPath } from "../definition.ts";
import type { Kind } from "../definition.ts";
import { KindMark } from "../kind-mark.tsx";
import { nodeSize } from "./graph-layout.ts";
import type { PlacedEdge, PlacedNode } from "./graph-layout.ts";

import css from "./graph.module.css";

export type FlowNode = Node<{ node: PlacedNode }, "definition">;
export type FlowEdge = Edge<{ edge: PlacedEdge; lit: boolean }, "relation">;

/** The node that the tab key reaches, and the functions that are called when the focus or the pointer moves. */
interface GraphFocus {
  at: string | null;
  onFocus: (id: string) => void;
  onPoint: (id: string | null) => void;
}

const Focus = createContext<GraphFocus>({ at: null, onFocus: () => undefined, onPoint: () => undefined });
export const GraphFocusProvider = Focus.Provider;

const { width, height } = nodeSize;

const outlines: Readonly<Record<Kind, string>> = {
  agent: `M${height / 2},.5H${width - height / 2}A${height / 2 - 0.5},${height / 2 - 0.5} 0 0 1 ${width - height / 2},${height - 0.5}H${height / 2}A${height / 2 - 0.5},${height / 2 - 0.5} 0 0 1 ${height / 2},.5Z`,
  prompt: `M.5,.5H${width - 12.5}L${width - 0.5},12.5V${height - 0.5}H.5ZM${width - 12.5},.5V12.5H${width - 0.5}`,
  tool: `M.5,.5H${width - 0.5}V${height - 0.5}H.5ZM5.5,.5V${height - 0.5}`,
  source: `M.5,.5H${width - 0.5}V${height - 0.5}H.5ZM5.5,.5V${height - 0.5}M10.5,.5V${height - 0.5}`,
  skill: `M.5,.5H${width - 0.5}V${height - 0.5}H.5ZM${width - 5.5},.5V${height - 0.5}`,
  model: `M13,.5H${width - 13}L${width - 0.5},${height / 2}L${width - 13},${height - 0.5}H13L.5,${height / 2}Z`,
};

export const DefinitionNode = memo(function DefinitionNode({ data: { node } }: NodeProps<FlowNode>): ReactElement {
  const { at, onFocus, onPoint } = useContext(Focus);
  const { id, kind, name, about, brief, found } = node;
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} className={css["handle"]} />
      <Link
        href={definitionPath(node)}
        className={css["node"] ?? ""}
        data-kind={kind}
        data-found={found}
        data-trouble={brief !== null}
        data-node={id}
        draggable={false}
        tabIndex={at === id ? 0 : -1}
        onFocus={() => onFocus(id)}
        onPointerEnter={() => onPoint(id)}
        onPointerLeave={() => onPoint(null)}
      >
        <svg className={css["outline"]} width={width} height={height} aria-hidden="true">
          <path d={outlines[kind]} />
        </svg>
        <span className={css["mark"]}>
          <KindMark kind={kind} />
        </span>
        <span className="visually-hidden">{kind} </span>
        <span className={css["name"]}>{name}</span>
        <span className={css["about"]}>{brief ?? about}</span>
      </Link>
      <Handle type="source" position={Position.Right} isConnectable={false} className={css["handle"]} />
    </>
  );
});

/** The edge between two definitions: a line with a label. */
export const RelationEdge = memo(function RelationEdge({ data }: EdgeProps<FlowEdge>): ReactElement | null {
  if (data === undefined) return null;
  const { edge, lit } = data;
  return (
    <g className={css["edge"]} data-lit={lit} data-relation={edge.relations[0]}>
      <BaseEdge path={edge.line} interactionWidth={0} />
      <circle className={css["end"]} {...endOf(edge.line)} r={2.5} />
      {/* Above the lines of all edges, so that no line is drawn over a label. */}
      <EdgeLabelRenderer>
        <span
          className={css["label"]}
          data-lit={lit}
          aria-hidden="true"
          style={{ transform: `translate(-50%, -50%) translate(${edge.labelAt.x}px, ${edge.labelAt.y}px)` }}
        >
          {edge.label}
        </span>
      </EdgeLabelRenderer>
    </g>
  );
});

/** The last point of a line. */
function endOf(line: string): { cx: number; cy: number } {
  const [x = 0, y = 0] = (line.split(/[ MC]/).at(-1) ?? "").split(",").map(Number);
  return { cx: x, cy: y };
}
