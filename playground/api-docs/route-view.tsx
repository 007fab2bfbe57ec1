// A route of the API: a line that opens and shows parameters, bodies and responses.

import { useState } from "react";
import type { ReactElement } from "react";
import type { JsonObject } from "threadhold/client";

import { SchemaTable } from "../agents/schema-table.tsx";
import { apiAddress } from "../app/place.ts";
import { CodeBlock } from "../markdown/code-block.tsx";
import { curlOf } from "./api-document.ts";
import type { ApiRoute, Content, Parameter } from "./api-document.ts";

import css from "./api-page.module.css";

interface RouteViewProps {
  route: ApiRoute;
  root: JsonObject;
  /** Whether the page's address names this route, which then is open. */
  named: boolean;
}

/** The line, and the details below it after it was opened once. */
export function RouteView({ route, root, named }: RouteViewProps): ReactElement {
  const [opened, setOpened] = useState<boolean | null>(null);
  const open = opened ?? named;
  const { id, method, path, summary } = route;
  return (
    <li id={id} className={css["route"]}>
      <details open={open} onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
        <summary className={css["line"]}>
          <code className={css["method"]}>{method}</code>
          <code className={css["path"]}>{path}</code>
          <span className={css["summary"]}>
            {summary.split("`").map((text, at) => (at % 2 === 1 ? <code key={text}>{text}</code> : text))}
          </span>
        </summary>
        {open ? <Details route={route} root={root} /> : null}
      </details>
    </li>
  );
}

function Details({ route, root }: Pick<RouteViewProps, "route" | "root">): ReactElement {
  const { id, guarded, parameters, body, responses } = route;
  return (
    <div className={css["details"]}>
      <p className={css["about"]}>
        <a href={`#${id}`}>{id}</a>
        {guarded ? ". Needs credentials." : ". Needs no credentials."}
      </p>
      <CodeBlock code={curlOf(route, root, apiAddress)} language="sh" />
      {parameters.length === 0 ? null : (
        <>
          <h3 className={css["part"]}>Parameters</h3>
          <SchemaTable schema={schemaOf(parameters)} root={root} label={`Parameters of ${id}`} />
        </>
      )}
      {body === null ? null : (
        <>
          <h3 className={css["part"]}>Body{body.required ? "" : " (may be left out)"}</h3>
          <Body content={body} root={root} label={`Body of ${id}`} />
        </>
      )}
      <h3 className={css["part"]}>Responses</h3>
      {responses.map((response) => (
        <div key={response.status} className={css["response"]}>
          <p>
            <code>{response.status}</code> {response.description}
          </p>
          {response.types.length === 0 || response.status === "default" ? null : (
            <Body content={response} root={root} label={`Response ${response.status} of ${id}`} />
          )}
        </div>
      ))}
    </div>
  );
}

function Body({ content, root, label }: { content: Content; root: JsonObject; label: string }): ReactElement {
  const { types, schema } = content;
  return (
    <>
      <p className={css["about"]}>{types.join(", ")}</p>
      {schema === null ? null : <SchemaTable schema={schema} root={root} label={label} />}
    </>
  );
}

/** Parameters as the schema of an object, so that they are shown like other schemas. */
function schemaOf(parameters: readonly Parameter[]): JsonObject {
  return {
    type: "object",
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      parameters.map(({ name, place, description, schema }) => {
        const own = schema["description"];
        const said = description ?? (typeof own === "string" ? own : null);
        const about = said === null ? `In the ${place}.` : `In the ${place}. ${said}`;
        return [name, { ...schema, description: about }];
      }),
    ),
  };
}
