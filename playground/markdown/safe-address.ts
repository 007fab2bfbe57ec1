// Decides which addresses in a text may become links.

const kinds = new Set(["http:", "https:", "mailto:"]);

/** The address if it is external and cannot run code; empty for all others, relative ones included. */
export function safeAddress(address: string): string {
  if (!URL.canParse(address)) return "";
  const url = new URL(address);
  return kinds.has(url.protocol) ? url.href : "";
}
