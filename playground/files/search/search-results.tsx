// The results of a search: files, and under each the matching lines; each result is a link to its position.

import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import type { ReactElement } from "react";
import type { ThreadHandle } from "threadhold/client";
import { Link } from "wouter";

import { count } from "../../kit/figures.ts";
import { EmptyNote, ErrorNote, LoadingNote } from "../../kit/note.tsx";
import { VisibleName } from "../../kit/visible-name.tsx";
import { visibleText } from "../../kit/visible-text.ts";
import type { FileQuery } from "../file-address.ts";
import { rowsFound } from "./rows-found.ts";
import type { FoundRow } from "./rows-found.ts";

import css from "./search.module.css";

const rowHeight = matchMedia("(pointer: coarse)").matches ? 44 : 26;

interface SearchResultsProps {
  handle: ThreadHandle;
  search: Pick<FileQuery, "find" | "by" | "below">;
  /** The file and line that the page shows. */
  shown: { path: string; line: number | null };
  href: (path: string, line: number | null) => string;
}

export function SearchResults({ handle, search, shown, href }: SearchResultsProps): ReactElement {
  const { find, by, below } = search;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["files", handle.id, "search", find, by, below],
    queryFn: async ({ signal }) => {
      const options = { path: below, signal };
      return rowsFound(by === "text" ? await handle.files.grep(find, options) : await handle.files.glob(find, options));
    },
    staleTime: 0,
    gcTime: 60_000,
  });
  if (error !== null) {
    return <ErrorNote title="The search was refused" error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <LoadingNote what="what matches" />;
  const { rows, files, lines, truncated } = data;
  if (rows.length === 0) {
    return (
      <EmptyNote title="Nothing matches">
        {by === "text"
          ? "Each line is matched by a regular expression; capital letters count, unless it begins with (?i)."
          : "A glob matches whole paths: * within a name, ** across folders."}
        {truncated ? " Not everything could be looked at; search below a folder." : null}
      </EmptyNote>
    );
  }
  return (
    <div className={css["results"]} aria-busy={isFetching}>
      <p className={css["count"]} role="status">
        {by === "text" ? `${count(lines)} ${lines === 1 ? "line" : "lines"} in ` : ""}
        {count(files)} {files === 1 ? "file" : "files"}
        {truncated ? ", and there may be more" : ""}
      </p>
      <Rows rows={rows} shown={shown} href={href} />
    </div>
  );
}

interface RowsProps extends Pick<SearchResultsProps, "shown" | "href"> {
  rows: readonly FoundRow[];
}

function Rows({ rows, shown, href }: RowsProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const keys = useMemo(() => rows.map(({ path, line }) => `${path}\n${line ?? ""}`), [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    getItemKey: (at) => keys[at] ?? at,
    overscan: 12,
    useFlushSync: false,
  });
  return (
    <div ref={place} className={css["rows"]}>
      <ul className={css["list"]} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const { path, line, content } = row;
          const here = path === shown.path && line === shown.line;
          return (
            <li key={key} className={css["row"]} style={{ transform: `translateY(${start}px)` }}>
              <Link
                href={href(path, line)}
                className={(line === null ? css["file"] : css["line"]) ?? ""}
                title={visibleText(line === null ? path : content)}
                {...(here ? { "aria-current": "true" as const } : {})}
              >
                {line === null ? (
                  <VisibleName name={path.slice(1)} />
                ) : (
                  <>
                    <span className={css["number"]}>{line}</span>
                    <span className={css["content"]}>
                      <VisibleName name={content.trim()} />
                    </span>
                  </>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
