// A form for a value of a JSON Schema. Its code is loaded when the first form is rendered.

import { Suspense, lazy } from "react";
import type { ReactElement } from "react";

import { LoadingNote } from "../kit/note.tsx";
import { PartBoundary } from "../kit/part-boundary.tsx";
import type { SchemaFormProps } from "./schema-form.tsx";

const SchemaForm = lazy(async () => {
  const { SchemaForm: found } = await import("./schema-form.tsx");
  return { default: found };
});

/** The form; while it loads or if that fails, a note. */
export function FormOfSchema(props: SchemaFormProps): ReactElement {
  return (
    <PartBoundary>
      <Suspense fallback={<LoadingNote what="the form" />}>
        <SchemaForm {...props} />
      </Suspense>
    </PartBoundary>
  );
}
