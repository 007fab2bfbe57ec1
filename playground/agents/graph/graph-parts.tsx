// Draws a node and an edge of the graph. A node is a link to its definition's page; its outline shows its kind.

import { BaseEdge, EdgeLabelRenderer, Handle, Position } from "@xyflow/react";
import type { Edge, EdgeProps, Node, NodeProps } from "@xyflow/react";
import { Fragment, createContext, memo, useContext } from "react";
import type { ReactElement } from "react";
import { Link } from "wouter";

import { definitionPath } from "../definition.ts";
import type { Kind } from "../definition.ts";
import { KindMark } from "../kind-mark.tsx";
import type { PlacedEdge, PlacedNode } from "./graph-layout.ts";
import type { GraphForm } from "./graph-size.ts";

import css from "./graph.module.css";

export type FlowNode = Node<{ node: PlacedNode; form: GraphForm }, "definition">;
export type FlowEdge = Edge<{ edge: PlacedEdge; lit: boolean }, "relation">;

/** The node that the tab key reaches, and the functions that are called when the focus or the pointer moves. */
interface GraphFocus {
  at: string | null;
  onFocus: (id: string) => void;
  onPoint: (id: string | null) => void;
}

const Focus = createContext<GraphFocus>({ at: null, onFocus: () => undefined, onPoint: () => undefined });
export const GraphFocusProvider = Focus.Provider;

/** The outline of a node of a kind. */
function outlineOf(kind: Kind, { width, height }: GraphForm): string {
  const box = `M.5,.5H${width - 0.5}V${height - 0.5}H.5Z`;
  const round = 21.5;
  const arc = (x: number, y: number): string => `A${round},${round} 0 0 1 ${x},${y}`;
  switch (kind) {
    case "agent":
      return `M22,.5H${width - 22}${arc(width - 0.5, 22)}V${height - 22}${arc(width - 22, height - 0.5)}H22${arc(0.5, height - 22)}V22${arc(22, 0.5)}Z`;
    case "prompt":
      return `M.5,.5H${width - 12.5}L${width - 0.5},12.5V${height - 0.5}H.5ZM${width - 12.5},.5V12.5H${width - 0.5}`;
    case "tool":
      return `${box}M5.5,.5V${height - 0.5}`;
    case "source":
      return `${box}M5.5,.5V${height - 0.5}M10.5,.5V${height - 0.5}`;
    case "skill":
      return `${box}M${width - 5.5},.5V${height - 0.5}`;
    case "model":
      return `M13,.5H${width - 13}L${width - 0.5},${height / 2}L${width - 13},${height - 0.5}H13L.5,${height / 2}Z`;
  }
}

export const DefinitionNode = memo(function DefinitionNode({
  data: { node, form },
}: NodeProps<FlowNode>): ReactElement {
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
        data-marked={form.marks}
        data-folded={form.twoLines}
        draggable={false}
        tabIndex={at === id ? 0 : -1}
        onFocus={() => onFocus(id)}
        onPointerEnter={() => onPoint(id)}
        onPointerLeave={() => onPoint(null)}
      >
        <svg className={css["outline"]} width={form.width} height={form.height} aria-hidden="true">
          <path d={outlineOf(kind, form)} />
        </svg>
        {form.marks ? (
          <span className={css["mark"]}>
            <KindMark kind={kind} />
          </span>
        ) : null}
        <span className="visually-hidden">{kind} </span>
        <span className={css["name"]} title={name}>
          {form.twoLines ? breakable(name) : name}
        </span>
        <span className={form.twoLines && brief === null ? "visually-hidden" : css["about"]}>{brief ?? about}</span>
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

/** A name that may be broken after its separators. */
function breakable(name: string): ReactElement[] {
  return name.split(/(?<=[-_./])/).map((piece, at) => (
    // The index of a piece identifies it.
    <Fragment key={at}>
      {at === 0 ? null : <wbr />}
      {piece}
    </Fragment>
  ));
}
