// Which addresses of a text may become links.

const kinds = new Set(["http:", "https:", "mailto:"]);

/** The address if it leads somewhere outside that cannot run here; nothing for all others, relative ones included. */
export function safeAddress(address: string): string {
  if (!URL.canParse(address)) return "";
  const url = new URL(address);
  return kinds.has(url.protocol) ? url.href : "";
}
