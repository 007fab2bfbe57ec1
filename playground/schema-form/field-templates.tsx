// The label of each field of a form: its title, its key if the title does not show it, and whether a value is required, in words.

import { descriptionId, getTemplate, getUiOptions } from "@rjsf/utils";
import type { FieldTemplateProps, RJSFSchema, TitleFieldProps, WidgetProps } from "@rjsf/utils";
import type { ReactElement } from "react";

import { keyKeyword } from "./field-titles.ts";

interface FieldNameProps {
  title: string;
  schema: RJSFSchema;
  required: boolean | undefined;
}

function FieldName({ title, schema, required }: FieldNameProps): ReactElement {
  const key: unknown = schema[keyKeyword];
  const isShown = typeof key !== "string" || key.toLowerCase() === title.toLowerCase();
  return (
    <>
      {title}
      {isShown ? null : (
        <>
          {" "}
          <code className="key">{key}</code>
        </>
      )}
      {required === true ? <span className="required"> required</span> : null}
    </>
  );
}

/** A field with its label, its description and its errors. */
function FieldTemplate(props: FieldTemplateProps): ReactElement {
  const { id, label, children, errors, help, description, hidden, required, displayLabel, schema } = props;
  const Wrap = getTemplate("WrapIfAdditionalTemplate", props.registry, getUiOptions(props.uiSchema));
  if (hidden === true) return <div hidden>{children}</div>;
  return (
    <Wrap {...props}>
      {displayLabel === true ? (
        <>
          {label === "" ? null : (
            <label htmlFor={id}>
              <FieldName title={label} schema={schema} required={required} />
            </label>
          )}
          {description}
        </>
      ) : null}
      {children}
      {errors}
      {help}
    </Wrap>
  );
}

/** The title of an object or of a list. */
function TitleFieldTemplate({ id, title, required, schema, optionalDataControl }: TitleFieldProps): ReactElement {
  return (
    <legend id={id}>
      <FieldName title={title} schema={schema} required={required} />
      {optionalDataControl}
    </legend>
  );
}

/** A box for `true` or `false`. Its label follows it. */
function CheckboxWidget(props: WidgetProps): ReactElement {
  const { id, label, schema, uiSchema, options, registry, required, disabled, readonly, onChange } = props;
  const value: unknown = props.value;
  const Description = getTemplate("DescriptionFieldTemplate", registry, options);
  const description = options.description ?? schema.description;
  return (
    <div>
      <label className="choice">
        <input
          type="checkbox"
          id={id}
          checked={value === true}
          disabled={disabled === true || readonly === true}
          aria-describedby={description === undefined ? undefined : descriptionId(id)}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span>
          <FieldName title={label} schema={schema} required={required} />
        </span>
      </label>
      {description === undefined ? null : (
        <Description
          id={descriptionId(id)}
          description={description}
          schema={schema}
          {...(uiSchema === undefined ? {} : { uiSchema })}
          registry={registry}
        />
      )}
    </div>
  );
}

export const fieldTemplates = { FieldTemplate, TitleFieldTemplate };
export const fieldWidgets = { CheckboxWidget };
