// The search form for a thread's files: by their text with a regular expression, or by their names with a glob. It
// searches only when it is submitted, because half of an expression is mostly invalid.

import { useEffect, useState } from "react";
import type { ReactElement, SubmitEvent } from "react";

import { IconButton } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { visibleText } from "../../kit/visible-text.ts";
import type { FileQuery } from "../file-address.ts";

import css from "./search.module.css";

type Search = Pick<FileQuery, "find" | "by" | "below">;

interface SearchFormProps {
  search: Search;
  /** The open folder. */
  folder: string;
  onSearch: (search: Search) => void;
}

export function SearchForm({ search, folder, onSearch }: SearchFormProps): ReactElement {
  const [find, setFind] = useState(search.find);
  useEffect(() => setFind(search.find), [search.find]);
  const { by, below } = search;
  const send = (change: Partial<Search>): void => onSearch({ find, by, below, ...change });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    send({});
  };
  const scope = below === "/" ? folder : below;
  return (
    <search className={css["search"]}>
      <form className={css["form"]} onSubmit={submit}>
        <span className={css["glass"]}>
          <Icon name="search" />
        </span>
        <input
          className={css["input"]}
          type="search"
          enterKeyHint="search"
          aria-label="Search the files"
          placeholder={by === "text" ? "Text in files: a regular expression" : "Names of files: **/*.md"}
          maxLength={1000}
          value={find}
          onChange={(event) => setFind(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") send({ find: "", below: "/" });
          }}
        />
        {search.find === "" ? null : (
          <IconButton icon="close" label="End the search" onClick={() => send({ find: "", below: "/" })} />
        )}
      </form>
      <div className={css["ways"]}>
        <fieldset className={css["by"]}>
          <legend className="visually-hidden">Search in</legend>
          {(["text", "names"] as const).map((one) => (
            <label key={one} className={css["way"]}>
              <input type="radio" name="by" checked={by === one} onChange={() => send({ by: one })} />
              <span>{one === "text" ? "Text" : "Names"}</span>
            </label>
          ))}
        </fieldset>
        {scope === "/" ? null : (
          <label className={css["below"]}>
            <input
              type="checkbox"
              checked={below !== "/"}
              onChange={(event) => send({ below: event.target.checked ? folder : "/" })}
            />
            <span>Only in {visibleText(scope)}</span>
          </label>
        )}
      </div>
    </search>
  );
}
