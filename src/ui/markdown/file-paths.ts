// Finds what may be a path of a file in the text of markdown, so that it can be drawn as a link. Whether there is such a file is
// known only when it is drawn.

/** Begins the address that such a path is given in the tree. A text that writes it itself gets no more than a link to that file. */
const scheme = "thread-file:";

/** A path from the root: not within a word, an address or another path. A dot or comma at its end belongs to the sentence. */
const pathPattern = /(?<![\w/.:@-])\/[\w@%+~-](?:[\w@%+~./-]*[\w@%+~-])?/g;

interface TreeNode {
  type: string;
  value?: string;
  url?: string;
  children?: TreeNode[];
}

/** The path of an address that the plugin made; null for every other one. */
export function pathOfAddress(address: string | undefined): string | null {
  return address?.startsWith(scheme) === true ? address.slice(scheme.length) : null;
}

/** The address of a link within a text, if it is a path; null otherwise. */
export function addressOfPath(path: string): string | null {
  return /^\/(?!\/)/.test(path) ? `${scheme}${path}` : null;
}

/** A remark plugin: text and code that is a path becomes a link to it. What is a link already stays one. */
export function filePaths(): (tree: TreeNode) => void {
  return (tree) => walk(tree);
}

function walk(node: TreeNode): void {
  if (node.children === undefined || node.type === "link" || node.type === "linkReference") return;
  node.children = node.children.flatMap((child) => {
    if (child.type === "text") return cut(child.value ?? "");
    if (child.type === "inlineCode" && isPath(child.value ?? "")) return [linkTo(child.value ?? "", child)];
    walk(child);
    return [child];
  });
}

function cut(text: string): TreeNode[] {
  const nodes: TreeNode[] = [];
  let from = 0;
  for (const found of text.matchAll(pathPattern)) {
    const [path] = found;
    if (found.index > from) nodes.push({ type: "text", value: text.slice(from, found.index) });
    nodes.push(linkTo(path, { type: "text", value: path }));
    from = found.index + path.length;
  }
  if (from < text.length || nodes.length === 0) nodes.push({ type: "text", value: text.slice(from) });
  return nodes;
}

function isPath(text: string): boolean {
  return text.startsWith("/") && !text.includes("\n");
}

function linkTo(path: string, shown: TreeNode): TreeNode {
  return { type: "link", url: `${scheme}${path}`, children: [shown] };
}
