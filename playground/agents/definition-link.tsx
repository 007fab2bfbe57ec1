// A link to a definition's page: its name with the mark of its kind.

import type { ReactElement } from "react";
import { Link } from "wouter";

import { definitionPath } from "./definition.ts";
import type { Reference } from "./definition.ts";
import { KindMark } from "./kind-mark.tsx";

import css from "./definition.module.css";

export function DefinitionLink({ kind, name }: Reference): ReactElement {
  return (
    <Link href={definitionPath({ kind, name })} className={css["link"] ?? ""}>
      <KindMark kind={kind} size={14} />
      <span className="visually-hidden">{kind} </span>
      <code>{name}</code>
    </Link>
  );
}
