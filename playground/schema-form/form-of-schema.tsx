// The form for a value of a JSON Schema, loaded when the first one is drawn.

import { Suspense, lazy } from "react";
import type { ReactElement } from "react";

import { LoadingNote } from "../kit/note.tsx";
import { PartBoundary } from "../kit/part-boundary.tsx";
import type { SchemaFormProps } from "./schema-form.tsx";

const SchemaForm = lazy(async () => {
  const { SchemaForm: found } = await import("./schema-form.tsx");
  return { default: found };
});

/** The form, or what became of it. */
export function FormOfSchema(props: SchemaFormProps): ReactElement {
  return (
    <PartBoundary>
      <Suspense fallback={<LoadingNote what="the form" />}>
        <SchemaForm {...props} />
      </Suspense>
    </PartBoundary>
  );
}
