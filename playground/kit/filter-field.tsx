// A field that filters a page. The page's address keeps the text, as a value of its query, so that it survives a reload.

import type { ReactElement } from "react";
import { useSearchParams } from "wouter";

import { Icon } from "./icon.tsx";

interface FilterFieldProps {
  label: string;
  /** The name of the value in the address's query. */
  name: string;
  className: string | undefined;
}

/** The field. A change replaces the entry in the browser's history. */
export function FilterField({ label, name, className }: FilterFieldProps): ReactElement {
  const [search, setSearch] = useSearchParams();
  return (
    <label className={className}>
      <span className="visually-hidden">{label}</span>
      <Icon name="search" />
      <input
        type="search"
        placeholder={label}
        value={search.get(name) ?? ""}
        onChange={({ target: { value } }) =>
          setSearch(
            (now) => {
              if (value === "") now.delete(name);
              else now.set(name, value);
              return now;
            },
            { replace: true },
          )
        }
      />
    </label>
  );
}
