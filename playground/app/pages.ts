// The pages that are loaded when they are first opened. A new page is a folder and a line of this table: the line gives the page its route,
// and with a title its link in the bar, its shortcut and its command. The start page and the pages of a thread are not here, because the
// first load contains them.

import type { ComponentType } from "react";

import { cataloguePath, definitionRoute, definitionsPath } from "../agents/definition.ts";
import { filesRoute } from "../files/file-address.ts";
import { InboxCount } from "../inbox/inbox-count.tsx";
import type { IconName } from "../kit/icon.tsx";

interface LoadedPage {
  /** What the page shows while it is loaded, as in "Loading the inbox". */
  loading: string;
  /** Loads the component. It gets no properties, and reads the parameters of its address with `useParams`. */
  load: () => Promise<ComponentType>;
}

/** A page with a link in the bar. */
interface NamedPage extends LoadedPage {
  path: string;
  title: string;
  /** The mark that stands for the title on a phone. */
  icon?: IconName;
  /** Shown after the title in the bar. */
  Count?: ComponentType;
  /** The key that opens the page. */
  key?: string;
  /** What the list of keyboard shortcuts says about the page. */
  about?: string;
  /** The words by which the command palette finds the page. Without them the palette's list of pages does not have it. */
  search?: string;
}

/** A page that other pages link to. */
interface LinkedPage extends LoadedPage {
  /** The address, or a pattern of the addresses. */
  path: string | RegExp;
  /** The path of the named page whose link is marked as the current one. */
  within?: string;
}

/** Each address shows the first page whose path matches. */
export const pages: readonly (NamedPage | LinkedPage)[] = [
  {
    path: "/inbox",
    title: "Inbox",
    icon: "inbox",
    Count: InboxCount,
    key: "I",
    about: "what waits for you in all threads",
    search: "inbox waiting approvals questions limits",
    loading: "the inbox",
    load: async () => (await import("../inbox/inbox-page.tsx")).InboxPage,
  },
  {
    path: definitionsPath,
    title: "Definitions",
    loading: "definitions",
    load: async () => (await import("../agents/definitions-page.tsx")).DefinitionsPage,
  },
  {
    path: cataloguePath,
    within: definitionsPath,
    loading: "the catalogue",
    load: async () => (await import("../agents/catalogue-page.tsx")).CataloguePage,
  },
  {
    path: definitionRoute,
    within: definitionsPath,
    loading: "the definition",
    load: async () => (await import("../agents/definition-page.tsx")).DefinitionPage,
  },
  {
    path: "/usage",
    title: "Usage",
    search: "usage cost tokens",
    loading: "usage",
    load: async () => (await import("../usage/usage-page.tsx")).UsagePage,
  },
  {
    path: "/docs",
    title: "API",
    search: "api routes docs",
    loading: "the API's description",
    load: async () => (await import("../api-docs/api-page.tsx")).ApiPage,
  },
  {
    path: filesRoute,
    loading: "the files",
    load: async () => (await import("../files/files-page.tsx")).FilesPage,
  },
];

/** The pages in the bar, in their order. */
export const namedPages: readonly NamedPage[] = pages.filter((page) => "title" in page);

/** Whether an address shows a page in the bar, or a page within it. */
export function isWithin(address: string, { path }: NamedPage): boolean {
  const shown = pages.find((page) => (typeof page.path === "string" ? page.path === address : page.path.test(address)));
  return shown !== undefined && (shown.path === path || ("within" in shown && shown.within === path));
}
