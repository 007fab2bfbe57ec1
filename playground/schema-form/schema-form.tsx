// A form for an object of a JSON Schema. The user may enter the object as JSON instead.

// The package's main entry also loads what its tests need, such as a validator that compiles code.
import Form from "@rjsf/core/lib/components/Form.js";
import type { RJSFSchema, UiSchema } from "@rjsf/utils";
import { useMemo, useState } from "react";
import type { ReactElement, ReactNode } from "react";
import type { JsonObject } from "threadhold/client";

import { Button } from "../kit/button.tsx";
import { fieldTemplates, fieldWidgets } from "./field-templates.tsx";
import { withTitles } from "./field-titles.ts";
import { interpretingValidator } from "./validator.ts";

import field from "../kit/field.module.css";
import css from "./schema-form.module.css";

/** The schema of the form, its initial value, and callbacks for its value. */
export interface SchemaFormProps {
  schema: JsonObject;
  value: JsonObject;
  /** The label of the form for screen readers. */
  label: string;
  /** Called with the value after every change in the form. */
  onChange?: (value: JsonObject) => void;
  onSubmit: (value: JsonObject) => void;
  /** Its buttons, one of which submits. */
  children: ReactNode;
}

const look: UiSchema = { "ui:submitButtonOptions": { norender: true }, "ui:title": " ", "ui:label": false };
const validator = interpretingValidator();

export function SchemaForm({ schema, value, label, onChange, onSubmit, children }: SchemaFormProps): ReactElement {
  const shown = useMemo(() => withTitles(schema) as RJSFSchema, [schema]);
  const [data, setData] = useState(value);
  const [written, setWritten] = useState<string | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const turn = (): void => {
    if (written === null) return setWritten(JSON.stringify(data, null, 2));
    const read = readObject(written);
    // Text that is not valid stays in the field, where it can be corrected.
    if (read === null) return setWrong("This is not a JSON object.");
    setWrong(null);
    setWritten(null);
    setData(read);
    return onChange?.(read);
  };
  const change = (
    <Button small kind="quiet" onClick={turn}>
      {written === null ? "Write as JSON" : "Back to the form"}
    </Button>
  );
  if (written !== null) {
    return (
      <form
        className={css["form"]}
        aria-label={label}
        onSubmit={(event) => {
          event.preventDefault();
          const read = readObject(written);
          if (read === null) return setWrong("This is not a JSON object.");
          const { errors } = validator.validateFormData(read, schema as RJSFSchema);
          if (errors.length > 0) return setWrong(errors.map(({ stack }) => stack).join("; "));
          setWrong(null);
          return onSubmit(read);
        }}
      >
        <textarea
          className={`${field["input"]} ${css["json"]}`}
          aria-label={`${label} as JSON`}
          spellCheck={false}
          value={written}
          onChange={(event) => setWritten(event.target.value)}
        />
        {wrong === null ? null : (
          <p className={css["wrong"]} role="alert">
            {wrong}
          </p>
        )}
        <div className={css["end"]}>
          {change}
          {children}
        </div>
      </form>
    );
  }
  return (
    <div className={css["form"]}>
      <Form
        schema={shown}
        uiSchema={look}
        templates={fieldTemplates}
        widgets={fieldWidgets}
        validator={validator}
        formData={data}
        noHtml5Validate
        showErrorList={false}
        onChange={({ formData }) => {
          setData(formData as JsonObject);
          onChange?.(formData as JsonObject);
        }}
        onSubmit={({ formData }) => onSubmit(formData as JsonObject)}
      >
        <div className={css["end"]}>
          {change}
          {children}
        </div>
      </Form>
    </div>
  );
}

function readObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}
