// The page of an address that no page has. It links to the pages that exist.

import type { ReactElement } from "react";
import { Link, useLocation } from "wouter";

import { EmptyNote } from "../kit/note.tsx";
import { usePageTitle } from "./page-title.ts";
import { namedPages } from "./pages.ts";

import css from "./unknown-page.module.css";

export function UnknownPage(): ReactElement {
  usePageTitle("Unknown page");
  const [path] = useLocation();
  return (
    <EmptyNote page title="This page does not exist">
      <p>
        No page has the address <code className={css["path"]}>{path}</code>. These pages exist:
      </p>
      <ul className={css["pages"]}>
        {[{ path: "/", title: "Start" }, ...namedPages].map((page) => (
          <li key={page.path}>
            <Link href={page.path}>{page.title}</Link>
          </li>
        ))}
      </ul>
    </EmptyNote>
  );
}
