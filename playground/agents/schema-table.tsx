// A JSON Schema for readers: its properties as a table, and the schema itself in a part that unfolds.

import { useMemo } from "react";
import type { ReactElement } from "react";
import type { JsonObject } from "threadhold/client";

import { CodeBlock } from "../markdown/code-block.tsx";
import { schemaRows } from "./schema-rows.ts";

import css from "./schema-table.module.css";

interface SchemaTableProps {
  schema: JsonObject;
  label: string;
  /** The document in which the schema's references are resolved; the schema itself by default. */
  root?: JsonObject;
}

/** The table; a short text if the schema has no properties. */
export function SchemaTable({ schema, label, root = schema }: SchemaTableProps): ReactElement {
  const rows = useMemo(() => schemaRows(schema, root), [schema, root]);
  return (
    <>
      {rows.length === 0 ? (
        <p className={css["none"]}>No arguments.</p>
      ) : (
        // A scrollable element has to be reachable by keyboard.
        <div className={css["scroll"]} tabIndex={0} role="region" aria-label={label}>
          <table className={css["table"]}>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Type</th>
                <th scope="col">Description</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ path, name, depth, type, required, description, bounds }, at) => (
                // Options of a union may have the same property twice.
                <tr key={`${path} ${at}`} data-depth={Math.min(depth, 5)}>
                  <th scope="row">
                    <code title={path}>{name}</code>{" "}
                    {required ? <span className={css["required"]}>required</span> : null}
                  </th>
                  <td>
                    <code>{type}</code>
                  </td>
                  <td>
                    {description === null ? null : <span className={css["what"]}>{description}</span>}
                    {bounds.length === 0 ? null : (
                      <span className={css["bounds"]}>
                        {bounds.map((bound) => (
                          <span key={bound}>{bound}</span>
                        ))}
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <details className={css["json"]}>
        <summary>JSON Schema</summary>
        <CodeBlock code={JSON.stringify(schema, null, 2)} language="json" />
      </details>
    </>
  );
}
