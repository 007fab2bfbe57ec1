// Trees of conversations: their branches, the history from the root to the current node, and their JSON.

import fc from "fast-check";
import { expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { ThreadTree } from "#facade/uap/thread-tree.ts";
import type { ThreadTreeJSON } from "#facade/uap/thread-tree.ts";
import { AssistantMessage, UserMessage } from "#facade/upp/upp-message.ts";

const uuid4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** The state after an agent answered: the messages of the given state, the input and the answer. */
const answered = (state: AgentState, input: string) =>
  state.withMessages([new UserMessage(input), new AssistantMessage(`Answer to ${input}`)]).withStep(state.step + 1);

const texts = ({ messages }: AgentState) => messages.map(({ text }) => text);
const only = (text: string) => AgentState.initial().withMessage(new UserMessage(text));

it("A new tree has one node, which is the root and the current node", () => {
  const tree = new ThreadTree();
  expect(tree.current).toBe(tree.root);
  expect(tree.root).toMatchObject({ parentId: null, children: [] });
  expect(tree.root.id).toMatch(uuid4);
  expect([...tree.nodes.keys()]).toEqual([tree.root.id]);
  expect(tree.history()).toBe(tree.root.state);
  const state = only("Hello");
  expect(new ThreadTree(state).history()).toBe(state);
});

it("A program can branch a conversation, continue the branch and return to the root, as UAP's document does", () => {
  const tree = new ThreadTree();
  tree.current.state = answered(tree.history(), "First");
  const alternative = tree.branch(tree.current.id, "alternative");
  expect(alternative).toMatch(uuid4);
  expect(tree.current).toBe(tree.root);
  tree.checkout(alternative);
  tree.current.state = answered(tree.history(), "Alternative path");
  expect(tree.current).toMatchObject({ id: alternative, name: "alternative", parentId: tree.root.id });
  expect(texts(tree.history())).toEqual(["First", "Answer to First", "Alternative path", "Answer to Alternative path"]);
  expect(tree.history()).toBe(tree.current.state);
  tree.checkout(tree.root.id);
  expect(texts(tree.history())).toEqual(["First", "Answer to First"]);
  expect(tree.root.children).toEqual([alternative]);
});

it("The history has the messages from the root to the current node once each, in any order of branching, continuing and checking out", () => {
  const action = fc.record({ kind: fc.constantFrom("continue", "branch", "checkout"), node: fc.nat() });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      const tree = new ThreadTree();
      const expected = new Map<string, string[]>([[tree.root.id, []]]);
      const list = (id: string) => expected.get(id) ?? [];
      for (const [number, { kind, node }] of actions.entries()) {
        const id = [...expected.keys()][node % expected.size] ?? tree.root.id;
        if (kind === "checkout") tree.checkout(id);
        // A branch of a node without messages would continue whatever the node has later.
        else if (kind === "branch" && list(id).length > 0) expected.set(tree.branch(id), [...list(id)]);
        else {
          tree.current.state = answered(tree.history(), String(number));
          list(tree.current.id).push(String(number), `Answer to ${number}`);
        }
        expect(texts(tree.history())).toEqual(list(tree.current.id));
      }
      for (const tree2 of [tree, ThreadTree.fromJSON(JSON.parse(JSON.stringify(tree)))]) {
        for (const [id, messages] of expected) {
          tree2.checkout(id);
          expect(texts(tree2.history())).toEqual(messages);
        }
      }
    }),
    { verbose: true },
  );
});

it("If the state of each node has only the node's new messages, the history joins the messages of all nodes", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3), { minLength: 1, maxLength: 8 }), (sizes) => {
      const tree = new ThreadTree();
      const all: string[] = [];
      for (const [index, size] of sizes.entries()) {
        if (index > 0) tree.checkout(tree.branch(tree.current.id));
        const added = Array.from({ length: size }, (_, at) => `${index}.${at}`);
        tree.current.state = AgentState.initial().withMessages(added.map((text) => new UserMessage(text)));
        all.push(...added);
        expect(texts(tree.history())).toEqual(all);
      }
    }),
    { verbose: true },
  );
});

it("A branch contains the messages that its parent gets later, if the branch is created before the parent has messages", () => {
  const tree = new ThreadTree();
  const [a] = [tree.branch(tree.root.id)];
  const b = tree.branch(a);
  tree.root.state = only("1");
  for (const [id, text] of [
    [a, "2"],
    [b, "3"],
  ] as const) {
    tree.checkout(id);
    tree.current.state = only(text);
  }
  expect(texts(tree.history())).toEqual(["1", "2", "3"]);
});

it("A branch can begin in the middle of its parent's conversation, and does not contain messages that the parent gets later", () => {
  const tree = new ThreadTree();
  const first = answered(tree.history(), "One");
  tree.current.state = answered(first, "Two");
  const middle = tree.branch(tree.root.id, "middle", first);
  const end = tree.branch(tree.root.id, "end");
  tree.current.state = answered(tree.history(), "Three");
  tree.checkout(middle);
  expect(texts(tree.history())).toEqual(["One", "Answer to One"]);
  tree.current.state = answered(tree.history(), "Other");
  expect(texts(tree.history())).toEqual(["One", "Answer to One", "Other", "Answer to Other"]);
  tree.checkout(end);
  expect(texts(tree.history())).toEqual(["One", "Answer to One", "Two", "Answer to Two"]);
});

it("If a node's state has only the last messages of its parent, the history also has the parent's earlier messages, once each", () => {
  const tree = new ThreadTree();
  tree.current.state = answered(answered(tree.history(), "One"), "Two");
  tree.checkout(tree.branch(tree.root.id));
  const { messages } = tree.history();
  tree.current.state = answered(tree.history().withContext(messages.slice(-2)), "Three");
  expect(texts(tree.history())).toEqual(["One", "Answer to One", "Two", "Answer to Two", "Three", "Answer to Three"]);
});

it("The history has the step, metadata and reasoning of the current node", () => {
  const tree = new ThreadTree(only("One").withStep(1));
  tree.checkout(tree.branch(tree.root.id));
  tree.current.state = only("Two").withStep(7).withMetadata("a", 1).withReasoning("Hm.");
  expect(tree.history()).toMatchObject({ step: 7, metadata: { a: 1 }, reasoning: ["Hm."] });
  expect(texts(tree.history())).toEqual(["One", "Two"]);
});

it("An id that is not in the tree is refused, and the error contains the id", () => {
  const tree = new ThreadTree();
  const refused = expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining('"missing"') });
  expect(() => tree.checkout("missing")).toThrow(refused);
  expect(() => tree.branch("missing")).toThrow(refused);
  expect(tree.nodes.size).toBe(1);
});

it("A node refuses a state that is not an AgentState, and the error names the function that restores one", () => {
  const tree = new ThreadTree();
  const json = tree.root.state.toJSON() as unknown as AgentState;
  const refused = expect.objectContaining({
    code: "INVALID_REQUEST",
    message: expect.stringContaining("AgentState.fromJSON"),
  });
  expect(() => (tree.current.state = json)).toThrow(refused);
  expect(() => new ThreadTree(json)).toThrow(refused);
  expect(() => tree.branch(tree.root.id, "branch", json)).toThrow(refused);
});

/** A tree of a root, two branches, and a branch of the first one. */
function family(): { tree: ThreadTree; json: ThreadTreeJSON } {
  const tree = new ThreadTree(only("Root"));
  const [a] = [tree.branch(tree.root.id, "a"), tree.branch(tree.root.id)];
  tree.checkout(a);
  tree.current.state = answered(tree.history(), "A");
  tree.branch(a, "c");
  return { tree, json: JSON.parse(JSON.stringify(tree)) as ThreadTreeJSON };
}

it("A tree keeps its ids, names, states, children and its current node when it is converted to JSON and back", () => {
  const { tree, json } = family();
  const restored = ThreadTree.fromJSON(json);
  expect(JSON.stringify(restored)).toBe(JSON.stringify(tree));
  expect([restored.root.id, restored.current.id]).toEqual([tree.root.id, tree.current.id]);
  expect([...restored.nodes.values()].map(({ name, children }) => [name, children.length])).toEqual([
    [undefined, 2],
    ["a", 1],
    [undefined, 0],
    ["c", 0],
  ]);
  const added = restored.branch(restored.current.id);
  expect(restored.current.children.at(-1)).toBe(added);
  expect(tree.nodes.has(added)).toBe(false);
});

it.each<[string, (json: ThreadTreeJSON) => unknown, string]>([
  ["no list of nodes", (json) => (json.nodes = {} as never), "tree.nodes"],
  ["a root that does not exist", (json) => (json.rootId = "x"), "tree.rootId"],
  ["a current node that does not exist", (json) => (json.currentId = "x"), "tree.currentId"],
  [
    "a root with a parent",
    ({ nodes: [root, a] }) => Object.assign(root ?? {}, { parentId: a?.id }),
    "tree.nodes.0.parentId",
  ],
  ["two nodes with one id", ({ nodes: [, a, b] }) => Object.assign(b ?? {}, { id: a?.id }), "tree.nodes.2.id"],
  [
    "a child that does not exist",
    ({ nodes: [, , b] }) => Object.assign(b ?? {}, { children: ["x"] }),
    "tree.nodes.2.children.0",
  ],
  ["a child of two nodes", ({ nodes: [, a, b] }) => Object.assign(b ?? {}, { children: a?.children }), "tree.nodes."],
  [
    "a child with another parent",
    ({ nodes: [, a, b] }) => Object.assign(a ?? {}, { parentId: b?.id }),
    "tree.nodes.1.parentId",
  ],
  ["a node that no node leads to", ({ nodes: [root] }) => Object.assign(root ?? {}, { children: [] }), "tree.nodes.1"],
  [
    "two nodes that are parents of each other",
    ({ nodes: [root, a, b, c] }) => {
      Object.assign(root ?? {}, { children: [b?.id] });
      Object.assign(a ?? {}, { parentId: c?.id });
      Object.assign(c ?? {}, { children: [a?.id] });
    },
    "tree.nodes.1",
  ],
  [
    "a state of another version",
    ({ nodes: [, a] }) => Object.assign(a?.state ?? {}, { version: "2.0.0" }),
    "UAP version",
  ],
  [
    "a state that does not fit",
    ({ nodes: [, a] }) => Object.assign(a?.state ?? {}, { step: -1 }),
    "tree.nodes.1.state.step",
  ],
])("The JSON of a tree with %s is refused, and the error states the problem", (_, change, path) => {
  const { json } = family();
  change(json);
  expect(() => ThreadTree.fromJSON(json)).toThrow(
    expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining(path) }),
  );
});

it("A tree with branches nested 3,000 levels deep has a history and can be restored", () => {
  const tree = new ThreadTree(only("Root"));
  for (let level = 0; level < 3000; level += 1) tree.checkout(tree.branch(tree.current.id));
  const restored = ThreadTree.fromJSON(tree.toJSON());
  expect(restored.current.id).toBe(tree.current.id);
  expect(texts(restored.history())).toEqual(["Root"]);
});
