// The graph of definitions. It opens at full size, so that its texts are readable: it is as wide as the page, as high as it needs, and the
// page scrolls. A wider graph scrolls too, and one that was zoomed is moved by the pointer. One node is in the tab order, and the arrow keys move
// the focus along the edges.

import { ReactFlow, ReactFlowProvider, useReactFlow, useStore } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { KeyboardEvent, ReactElement, ReactNode } from "react";

import { IconButton } from "../../kit/button.tsx";
import type { DefinitionGraph } from "./definition-graph.ts";
import { placeGraph } from "./graph-layout.ts";
import type { PlacedGraph } from "./graph-layout.ts";
import { DefinitionNode, GraphFocusProvider, RelationEdge } from "./graph-parts.tsx";
import type { FlowEdge, FlowNode } from "./graph-parts.tsx";
import type { GraphForm } from "./graph-size.ts";
import { nextNode } from "./next-node.ts";
import type { Arrow } from "./next-node.ts";

import "@xyflow/react/dist/base.css";
import css from "./graph.module.css";

const nodeTypes = { definition: DefinitionNode };
const edgeTypes = { relation: RelationEdge };
const margin = 20;
const smallest = 0.25;
const largest = 2;

export function GraphView({ graph, legend }: { graph: DefinitionGraph; legend: ReactNode }): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.round(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const placed = useMemo(() => (width === 0 ? null : placeGraph(graph, width - 2 * margin)), [graph, width]);
  return (
    <div ref={place} className={css["place"]}>
      {placed === null ? null : (
        <ReactFlowProvider>
          <Drawn placed={placed} width={width} legend={legend} />
        </ReactFlowProvider>
      )}
    </div>
  );
}

interface DrawnProps {
  placed: PlacedGraph;
  width: number;
  legend: ReactNode;
}

function Drawn({ placed, width, legend }: DrawnProps): ReactElement {
  const flow = useReactFlow();
  const [focused, setFocused] = useState<string | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const { form } = placed;
  const size = { width: Math.max(width, placed.width + 2 * margin), height: placed.height + 2 * margin };
  const home = useMemo(() => ({ x: (size.width - placed.width) / 2, y: margin, zoom: 1 }), [placed, size.width]);
  const zoomed = useStore(({ transform }) => transform[2] !== 1);
  useEffect(() => void flow.setViewport(home), [flow, home]);
  const at = placed.nodes.some(({ id }) => id === focused) ? focused : (placed.nodes[0]?.id ?? null);
  const onFocus = useCallback(
    (id: string) => {
      setFocused(id);
      setPointed(null);
    },
    [setFocused],
  );
  const focus = useMemo(() => ({ at, onFocus, onPoint: setPointed }), [at, onFocus]);
  const nodes = useMemo(() => placed.nodes.map((node) => flowNode(node, placed.form)), [placed]);
  const plain = useMemo(() => placed.edges.map(flowEdge), [placed]);
  const centre = pointed ?? focused;
  const edges = useMemo(
    () =>
      plain.map((one): FlowEdge => {
        const lit = centre !== null && (one.source === centre || one.target === centre);
        return lit && one.data !== undefined ? { ...one, zIndex: 1, data: { ...one.data, lit } } : one;
      }),
    [plain, centre],
  );
  const go = (id: string | null): void => {
    const node = placed.nodes.find((one) => one.id === id);
    if (node === undefined) return;
    const { x, y, zoom } = flow.getViewport();
    const [left, top] = [node.x * zoom + x, node.y * zoom + y];
    const isOut =
      left < 0 || top < 0 || left + form.width * zoom > size.width || top + form.height * zoom > size.height;
    if (isOut) void flow.setCenter(node.x + form.width / 2, node.y + form.height / 2, { zoom });
    setFocused(node.id);
    document.querySelector<HTMLElement>(`[data-node="${CSS.escape(node.id)}"]`)?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || at === null) return;
    const run = keys[event.key]?.();
    if (run !== undefined) event.preventDefault();
  };
  const arrow = (key: Arrow) => () => go(nextNode(placed, at ?? "", key)) ?? true;
  const keys: Readonly<Record<string, () => unknown>> = {
    ArrowLeft: arrow("ArrowLeft"),
    ArrowRight: arrow("ArrowRight"),
    ArrowUp: arrow("ArrowUp"),
    ArrowDown: arrow("ArrowDown"),
    Home: () => go(placed.nodes[0]?.id ?? null) ?? true,
    End: () => go(placed.nodes.at(-1)?.id ?? null) ?? true,
    "+": () => flow.zoomIn(),
    "-": () => flow.zoomOut(),
    "0": () => flow.setViewport(home),
  };
  return (
    <GraphFocusProvider value={focus}>
      <div className={css["bar"]}>
        {legend}
        <div role="group" aria-label="Size of the graph">
          <IconButton icon="plus" label="Larger (+)" onClick={() => void flow.zoomIn()} />
          <IconButton icon="minus" label="Smaller (-)" onClick={() => void flow.zoomOut()} />
          <IconButton icon="fit" label="Full size (0)" onClick={() => void flow.setViewport(home)} />
        </div>
      </div>
      <div className={css["scroll"]}>
        <div className={css["canvas"]} data-labels={form.labels} style={size} onKeyDown={press}>
          <ReactFlow<FlowNode, FlowEdge>
            aria-label="Graph of definitions"
            nodes={nodes}
            edges={edges}
            nodeTypes={nodeTypes}
            edgeTypes={edgeTypes}
            defaultViewport={home}
            minZoom={smallest}
            maxZoom={largest}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            zoomOnScroll={false}
            zoomOnDoubleClick={false}
            preventScrolling={false}
            disableKeyboardA11y
            panOnDrag={zoomed}
          />
        </div>
      </div>
    </GraphFocusProvider>
  );
}

function flowNode(node: PlacedGraph["nodes"][number], form: GraphForm): FlowNode {
  return {
    id: node.id,
    type: "definition",
    position: { x: node.x, y: node.y },
    data: { node, form },
    width: form.width,
    height: form.height,
    // Removes the role description of the library, because the link inside the node describes it.
    domAttributes: { "aria-roledescription": undefined },
  };
}

function flowEdge(edge: PlacedGraph["edges"][number]): FlowEdge {
  const nameOf = (id: string): string => id.slice(id.indexOf(":") + 1);
  return {
    id: edge.id,
    type: "relation",
    source: edge.from,
    target: edge.to,
    data: { edge, lit: false },
    ariaLabel: `${nameOf(edge.from)}, ${edge.label}: ${nameOf(edge.to)}`,
    domAttributes: { "aria-roledescription": undefined },
  };
}
