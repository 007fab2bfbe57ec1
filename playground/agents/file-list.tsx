// Definitions that the graph does not show: strategies, hooks and input filters in the order of their execution, and the project's own
// routes.

import type { ReactElement } from "react";

import type { DefinitionSet, Filter, Hook, Route, Strategy } from "./definition.ts";

import css from "./definitions-page.module.css";

/** The lists, filtered like the graph. An empty list is not rendered. */
export function FileList({ set, filter }: { set: DefinitionSet; filter: string }): ReactElement {
  const wanted = filter.trim().toLowerCase();
  const fits = (...texts: string[]): boolean => texts.some((text) => text.toLowerCase().includes(wanted));
  const strategies = set.strategies.filter(({ name, file }) => fits(name, file ?? ""));
  const hooks = set.hooks.filter(({ hook, file }) => fits(hook, file));
  const filters = set.filters.filter(({ file }) => fits(file));
  const routes = set.routes.filter(({ path, file }) => fits(path, file));
  return (
    <div className={css["list"]}>
      <Section
        title="Strategies"
        entries={strategies.map((strategy) => ({ key: strategy.name, shown: <StrategyEntry of={strategy} /> }))}
      />
      <Section title="Hooks" entries={hooks.map((hook) => ({ key: hook.file, shown: <HookEntry of={hook} /> }))} />
      <Section
        title="Input filters"
        entries={filters.map((filter) => ({ key: filter.file, shown: <FilterEntry of={filter} /> }))}
      />
      <Section
        title="API routes"
        entries={routes.map((route) => ({ key: `${route.method} ${route.path}`, shown: <RouteEntry of={route} /> }))}
      />
    </div>
  );
}

interface SectionProps {
  title: string;
  entries: readonly { key: string; shown: ReactElement }[];
}

function Section({ title, entries }: SectionProps): ReactElement | null {
  if (entries.length === 0) return null;
  const id = `list-of-${title.toLowerCase().replaceAll(" ", "-")}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={css["kind"]}>
        {title} <span className={css["count"]}>{entries.length}</span>
      </h2>
      <ul>
        {entries.map(({ key, shown }) => (
          <li key={key} className={css["entry"]}>
            {shown}
          </li>
        ))}
      </ul>
    </section>
  );
}

function StrategyEntry({ of: { name, file, description } }: { of: Strategy }): ReactElement {
  return (
    <>
      <strong>{name}</strong>
      <p className={css["file"]}>
        <code>{file}</code> {description}
      </p>
    </>
  );
}

function HookEntry({ of: { hook, file } }: { of: Hook }): ReactElement {
  return (
    <>
      <strong>{hook}</strong>
      <p className={css["file"]}>
        <code>{file}</code>
      </p>
    </>
  );
}

function FilterEntry({ of: { file } }: { of: Filter }): ReactElement {
  return (
    <>
      <strong>
        {file
          .split("/")
          .at(-1)
          ?.replace(/\.[jt]s$/, "")}
      </strong>
      <p className={css["file"]}>
        <code>{file}</code>
      </p>
    </>
  );
}

const callers: Readonly<Record<Route["access"], string>> = {
  public: "public",
  user: "for users",
  admin: "for administrators",
};

function RouteEntry({ of: { method, path, file, kind, access } }: { of: Route }): ReactElement {
  return (
    <>
      <strong>
        {method} {path}
      </strong>
      <p className={css["file"]}>
        <code>{file}</code> {kind === "thread" ? "works on a thread; " : ""}
        {callers[access]}
      </p>
    </>
  );
}
