// A tree of conversations. Each node has the state at its end, and a branch continues the conversation of its parent. Agents do
// not use trees: a program passes `tree.history()` to an agent and stores the returned state in `tree.current.state`.

import { z } from "zod";

import { readJSON } from "../upp/message-json.ts";
import { setId } from "../upp/new-id.ts";
import { refusal } from "../upp/upp-error.ts";
import { AgentState } from "./agent-state.ts";
import { checkedState } from "./execution-checks.ts";
import { JoinedMessages } from "./joined-messages.ts";
import { SharedList } from "./shared-list.ts";
import type { AgentStateJSON } from "./state-json.ts";

/** A node as JSON. */
export interface ThreadNodeJSON {
  id: string;
  /** Null for the root. */
  parentId: string | null;
  name?: string;
  state: AgentStateJSON;
  /** The ids of the branches that begin here. */
  children: readonly string[];
}

/** A tree as JSON. */
export interface ThreadTreeJSON {
  rootId: string;
  currentId: string;
  nodes: ThreadNodeJSON[];
}

/** The fields of a new node. */
type NodeFields = Pick<ThreadNode, "parentId" | "state"> & { id?: string; name?: string | undefined };

let createNode: (fields: NodeFields) => ThreadNode;
let addChild: (parent: ThreadNode, id: string) => void;

/** A node of a tree. A new tree has its root; `branch` creates the other nodes. */
export class ThreadNode {
  /** A UUIDv4. */
  declare readonly id: string;
  /** Null for the root. */
  readonly parentId: string | null;
  declare readonly name?: string;
  #state: AgentState;
  #children = SharedList.of<string>([]);

  private constructor({ id, parentId, state, name }: NodeFields) {
    setId(this, id);
    this.parentId = parentId;
    if (name !== undefined) this.name = name;
    this.#state = state;
  }

  static {
    createNode = (fields) => new ThreadNode(fields);
    addChild = (parent, id) => {
      parent.#children = parent.#children.append([id]);
    };
  }

  /** The state at the end of this node. Set it to the state that an agent returned. */
  get state(): AgentState {
    return this.#state;
  }

  set state(state: AgentState) {
    this.#state = checkedState(state, "The state of a node");
  }

  /** The ids of the branches that begin at this node, in the order of their creation. */
  get children(): readonly string[] {
    return this.#children.items;
  }

  toJSON(): ThreadNodeJSON {
    const { id, parentId, name, state, children } = this;
    return { id, parentId, ...(name === undefined ? {} : { name }), state: state.toJSON(), children };
  }
}

const treeSchema = z.object({
  rootId: z.string().min(1),
  currentId: z.string().min(1),
  nodes: z.array(
    z.object({
      id: z.string().min(1),
      parentId: z.string().nullable(),
      name: z.string().exactOptional(),
      state: z.unknown(),
      children: z.array(z.string()),
    }),
  ),
});

/** A tree of conversations. It has one current node. */
export class ThreadTree {
  #root: ThreadNode;
  #current: ThreadNode;
  /** Null until it is read: in the global scope of a Worker, the root has no id yet. */
  #byId: Map<string, ThreadNode> | null = null;

  /** A tree of one node with the given state. */
  constructor(state: AgentState = AgentState.initial()) {
    this.#root = createNode({ parentId: null, state: checkedState(state, "The state of a node") });
    this.#current = this.#root;
  }

  /**
   * Restores a tree from its JSON, with its ids. Throws INVALID_REQUEST for any other value, and names the path of the first invalid
   * part, such as `tree.nodes.1.parentId`.
   */
  static fromJSON(json: unknown): ThreadTree {
    const { rootId, currentId, nodes } = readJSON(treeSchema, json, "tree");
    checkStructure(nodes, rootId);
    const tree = new ThreadTree();
    tree.#byId = new Map();
    for (const [index, { id, parentId, name, state, children }] of nodes.entries()) {
      const restored = AgentState.fromJSON(state, `tree.nodes.${index}.state`);
      const node = createNode({ id, parentId, name, state: restored });
      for (const child of children) addChild(node, child);
      tree.#byId.set(id, node);
    }
    tree.#root = tree.#node(rootId);
    tree.#current = tree.#node(currentId, "tree.currentId");
    return tree;
  }

  get root(): ThreadNode {
    return this.#root;
  }

  /** The node that `history` ends with. */
  get current(): ThreadNode {
    return this.#current;
  }

  /** All nodes by their id. */
  get nodes(): ReadonlyMap<string, ThreadNode> {
    return this.#nodes;
  }

  /**
   * Creates a branch of a node, and returns the id of the new node. The current node stays the same. `state` is the state that the branch
   * begins with; by default, it is the history of the node. An earlier state makes a branch that begins in the middle of the node.
   */
  branch(fromId: string, name?: string, state?: AgentState): string {
    const from = this.#node(fromId);
    const begin = state === undefined ? this.#historyOf(from) : checkedState(state, "The state of a node");
    const node = createNode({ parentId: fromId, name, state: begin });
    this.#nodes.set(node.id, node);
    addChild(from, node.id);
    return node.id;
  }

  /** Makes a node the current one. */
  checkout(nodeId: string): void {
    this.#current = this.#node(nodeId);
  }

  /**
   * Returns the state of the current node with the messages from the root to this node, each once. The state of a node may contain the whole
   * conversation, as an agent returns it, or only the messages after its parent's. If it repeats a message of its parent, it replaces the
   * parent's messages from this one on, because the branch begins there.
   */
  history(): AgentState {
    return this.#historyOf(this.#current);
  }

  toJSON(): ThreadTreeJSON {
    const nodes = Array.from(this.#nodes.values(), (node) => node.toJSON());
    return { rootId: this.#root.id, currentId: this.#current.id, nodes };
  }

  get #nodes(): Map<string, ThreadNode> {
    return (this.#byId ??= new Map([[this.#root.id, this.#root]]));
  }

  #node(id: string, name = "The id"): ThreadNode {
    const node = this.#nodes.get(id);
    if (node !== undefined) return node;
    throw refusal(
      `${name} ${JSON.stringify(id)} is not a node of this tree. The keys of \`nodes\` are the ids of its nodes.`,
    );
  }

  #historyOf(node: ThreadNode): AgentState {
    const path = [node];
    for (let each = node; each.parentId !== null; path.push(each)) each = this.#node(each.parentId);
    const { state } = node;
    // A node with the whole conversation, as an agent returns it, needs no join.
    const joined = new JoinedMessages();
    for (const each of path.toReversed()) joined.add(each.state.messages);
    return joined.isOnly(state.messages) ? state : state.withContext(joined.messages);
  }
}

/** Throws unless each node is reachable from the root by exactly one path, and `parentId` matches `children`. */
function checkStructure(nodes: readonly Pick<ThreadNodeJSON, "id" | "parentId" | "children">[], rootId: string): void {
  const places = new Map<string, number>();
  const refuse = (path: string, problem: string): never => {
    throw refusal(`The JSON of the tree cannot be read. tree.${path}: ${problem}.`);
  };
  for (const [index, { id }] of nodes.entries()) {
    if (places.has(id)) refuse(`nodes.${index}.id`, "Two nodes have this id");
    places.set(id, index);
  }
  const root = nodes[places.get(rootId) ?? -1];
  if (root === undefined) refuse("rootId", "No node has this id");
  const reached = new Set([rootId]);
  for (const id of reached) {
    const index = places.get(id) ?? -1;
    for (const [position, child] of (nodes[index]?.children ?? []).entries()) {
      const path = `nodes.${index}.children.${position}`;
      const place = places.get(child);
      if (place === undefined) refuse(path, "No node has this id");
      else if (reached.has(child)) refuse(path, "The node has another parent, or is the root");
      else if (nodes[place]?.parentId !== id)
        refuse(`nodes.${place}.parentId`, "Another node has this node as a child");
      reached.add(child);
    }
  }
  for (const [index, { id, parentId }] of nodes.entries()) {
    if (!reached.has(id)) refuse(`nodes.${index}`, "This node is not reachable from the root");
    if (id === rootId && parentId !== null) refuse(`nodes.${index}.parentId`, "The root has no parent");
  }
}
