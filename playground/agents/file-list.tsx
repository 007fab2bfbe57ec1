// Definitions that other definitions cannot refer to: hooks, in the order of their execution, and the project's own routes.

import type { ReactElement } from "react";

import type { DefinitionSet, Hook, Route } from "./definition.ts";

import css from "./definitions-page.module.css";

/** Both lists, filtered like the graph. An empty list is not rendered. */
export function FileList({ set, filter }: { set: DefinitionSet; filter: string }): ReactElement {
  const wanted = filter.trim().toLowerCase();
  const fits = (...texts: string[]): boolean => texts.some((text) => text.toLowerCase().includes(wanted));
  const hooks = set.hooks.filter(({ hook, file }) => fits(hook, file));
  const routes = set.routes.filter(({ path, file }) => fits(path, file));
  return (
    <div className={css["list"]}>
      <Section title="Hooks" entries={hooks.map((hook) => ({ key: hook.file, shown: <HookEntry of={hook} /> }))} />
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
