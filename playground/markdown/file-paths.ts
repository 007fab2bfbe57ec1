// Finds possible file paths in the text of markdown and makes links of them. Only the component that renders such a link knows whether
// the file exists.

/** The scheme of these links' addresses. A text that contains this scheme itself only gets a link to that file. */
const scheme = "thread-file:";

/** Matches a path from the root that is not part of a word, an address or another path. A dot or comma at its end is not included. */
const pathPattern = /(?<![\w/.:@-])\/[\w@%+~-](?:[\w@%+~./-]*[\w@%+~-])?/g;

interface TreeNode {
  type: string;
  value?: string;
  url?: string;
  children?: TreeNode[];
}

/** The path in an address that the plugin made; null for any other address. */
export function pathOfAddress(address: string | undefined): string | null {
  return address?.startsWith(scheme) === true ? address.slice(scheme.length) : null;
}

/** The address of a link within a text, if it is a path; null otherwise. */
export function addressOfPath(path: string): string | null {
  return /^\/(?!\/)/.test(path) ? `${scheme}${path}` : null;
}

/** A remark plugin that turns paths in text and code into links. Existing links stay unchanged. */
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
