// Links to the pages that an answer cites, or that a tool of the provider found. Addresses that could run code are left out.

import type { ReactElement } from "react";
import type { Json } from "threadhold/client";

import { safeAddress } from "../markdown/safe-address.ts";

import css from "./cited-pages.module.css";

interface Source {
  url: string;
  title: string;
}

const mostSources = 20;

/** The pages in a value: objects with an address, at most one level deep. */
export function sourcesIn(value: Json): Source[] {
  const lists = Array.isArray(value)
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value)
      : [];
  const found = new Map<string, Source>();
  for (const item of lists.flat()) {
    if (typeof item !== "object" || item === null || Array.isArray(item)) continue;
    const url = typeof item["url"] === "string" ? safeAddress(item["url"]) : "";
    if (!/^https?:/.test(url) || found.size >= mostSources) continue;
    const title = typeof item["title"] === "string" && item["title"] !== "" ? item["title"] : new URL(url).host;
    found.set(url, { url, title });
  }
  return [...found.values()];
}

/** The links. Renders nothing without pages. */
export function SourceList({ sources }: { sources: readonly Source[] }): ReactElement | null {
  if (sources.length === 0) return null;
  return (
    <ul className={css["sources"]} aria-label="Sources">
      {sources.map(({ url, title }) => (
        <li key={url}>
          <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
}
