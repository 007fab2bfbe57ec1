// The programs of UAP-1.0 §7: thread trees.

import { agent as createAgent, ThreadTree } from "threadhold/agents";

import { anthropic } from "./stand-ins.ts";

const agent = createAgent({ model: anthropic("claude-sonnet-5-5") });

/** §7.2: a branch, and the return to the root. */
export async function threadTree(): Promise<unknown> {
  // Create tree
  const tree = new ThreadTree();

  // Generate and update tree
  const { state: s1 } = await agent.generate("First", tree.history());
  tree.current.state = s1;

  // Branch for alternative
  const altId = tree.branch(tree.current.id, "alternative");
  tree.checkout(altId);

  const { state: s2 } = await agent.generate("Alternative path", tree.history());
  tree.current.state = s2;
  const alternative = tree.history().messages.map(({ type }) => type);

  // Switch back to main
  tree.checkout(tree.root.id);

  return [alternative, tree.history().messages.length, tree.nodes.size];
}

/** §7.3: the history from the root to the current node. */
export async function history(): Promise<unknown> {
  const tree = new ThreadTree();
  tree.current.state = (await agent.generate("Root", tree.history())).state;
  tree.checkout(tree.branch(tree.current.id, "A"));
  tree.current.state = (await agent.generate("A", tree.history())).state;
  const B = { id: tree.branch(tree.current.id, "B") };
  tree.checkout(B.id);
  tree.current.state = (await agent.generate("B", tree.history())).state;

  // Tree: root -> A -> B (current)
  tree.checkout(B.id);
  const state = tree.history();
  // state.messages contains messages from root, A, B in order

  return state.messages.flatMap((message) => (message.type === "user" ? [message.text] : []));
}
