// The graph of definitions. It opens with the whole graph visible. A zoomed graph is moved by the pointer. At a small zoom a node
// shows its name only. One node is in the tab order, and the arrow keys move the focus along the edges.

import { ReactFlow, ReactFlowProvider, useReactFlow, useStore } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { KeyboardEvent, ReactElement, ReactNode } from "react";

import { IconButton } from "../../kit/button.tsx";
import type { DefinitionGraph } from "./definition-graph.ts";
import { fittingZoom, nodeSize, placeGraph } from "./graph-layout.ts";
import type { GraphSpace, PlacedGraph } from "./graph-layout.ts";
import { DefinitionNode, GraphFocusProvider, RelationEdge } from "./graph-parts.tsx";
import type { FlowEdge, FlowNode } from "./graph-parts.tsx";
import { nextNode } from "./next-node.ts";
import type { Arrow } from "./next-node.ts";

import "@xyflow/react/dist/base.css";
import css from "./graph.module.css";

const nodeTypes = { definition: DefinitionNode };
const edgeTypes = { relation: RelationEdge };
const margin = 20;
/** The smallest zoom. Below it nodes could not be distinguished, so a larger graph has to be moved. */
const smallest = 0.25;
const largest = 2;
/** The zoom below which the small texts of a node cannot be read. */
const readable = 0.65;
/** The height of the page's head and the graph's toolbar, in pixels. */
const around = 150;

export function GraphView({ graph, legend }: { graph: DefinitionGraph; legend: ReactNode }): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const [{ width, height }, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const size = { width: Math.round(element.clientWidth), height: Math.max(240, window.innerHeight - around) };
      setSize((before) => (before.width === size.width && before.height === size.height ? before : size));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      removeEventListener("resize", measure);
    };
  }, []);
  const space = useMemo(() => ({ width: width - 2 * margin, height: height - 2 * margin }), [width, height]);
  const placed = useMemo(() => (width === 0 ? null : placeGraph(graph, space)), [graph, width, space]);
  return (
    <div ref={place} className={css["place"]}>
      {placed === null ? null : (
        <ReactFlowProvider>
          <Drawn placed={placed} width={width} space={space} legend={legend} />
        </ReactFlowProvider>
      )}
    </div>
  );
}

interface DrawnProps {
  placed: PlacedGraph;
  width: number;
  /** The available space within the margins. */
  space: GraphSpace;
  legend: ReactNode;
}

function Drawn({ placed, width, space, legend }: DrawnProps): ReactElement {
  const flow = useReactFlow();
  const [focused, setFocused] = useState<string | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const home = useMemo(() => {
    const zoom = Math.max(smallest, fittingZoom(placed, space));
    return { x: Math.max(margin, (width - placed.width * zoom) / 2), y: margin, zoom };
  }, [placed, width, space]);
  useEffect(() => void flow.setViewport(home), [flow, home]);

  const height = Math.min(space.height, placed.height * home.zoom) + 2 * margin;
  const far = useStore(({ transform }) => transform[2] < readable);
  const at = placed.nodes.some(({ id }) => id === focused) ? focused : (placed.nodes[0]?.id ?? null);
  const onFocus = useCallback(
    (id: string) => {
      setFocused(id);
      setPointed(null);
    },
    [setFocused],
  );
  const focus = useMemo(() => ({ at, onFocus, onPoint: setPointed }), [at, onFocus]);
  const nodes = useMemo(() => placed.nodes.map(flowNode), [placed]);
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
    const isOut = left < 0 || top < 0 || left + nodeSize.width * zoom > width || top + nodeSize.height * zoom > height;
    if (isOut) void flow.setCenter(node.x + nodeSize.width / 2, node.y + nodeSize.height / 2, { zoom });
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
          <IconButton icon="fit" label="Fit to the page (0)" onClick={() => void flow.setViewport(home)} />
        </div>
      </div>
      <div className={css["canvas"]} data-far={far} style={{ height }} onKeyDown={press}>
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
        />
      </div>
    </GraphFocusProvider>
  );
}

function flowNode(node: PlacedGraph["nodes"][number]): FlowNode {
  return {
    id: node.id,
    type: "definition",
    position: { x: node.x, y: node.y },
    data: { node },
    ...nodeSize,
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
