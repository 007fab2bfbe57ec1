// The pages in the bar, by their addresses and names. The inbox is not among them, because its link has a count.

import { cataloguePath, definitionRoute, definitionsPath } from "../agents/definition.ts";

/** A page in the bar. */
interface NamedPage {
  href: string;
  name: string;
}

export const pages: readonly NamedPage[] = [
  { href: definitionsPath, name: "Definitions" },
  { href: "/usage", name: "Usage" },
  { href: "/docs", name: "API" },
];

/** Whether the page of an address belongs to a page in the bar: the page of a definition, and the catalogue, belong to the definitions. */
export function isWithin(path: string, { href }: NamedPage): boolean {
  return path === href || (href === definitionsPath && (path === cataloguePath || definitionRoute.test(path)));
}
