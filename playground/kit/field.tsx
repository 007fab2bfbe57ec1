// Fields of forms: a label above the input, and a help text below it.

import { useId } from "react";
import type { InputHTMLAttributes, ReactElement, ReactNode, Ref, SelectHTMLAttributes } from "react";

import css from "./field.module.css";

interface Around {
  label: string;
  help?: ReactNode;
}

interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement>, Around {
  ref?: Ref<HTMLInputElement>;
}

/** A line of text. */
export function TextField({ label, help, ...rest }: TextFieldProps): ReactElement {
  const id = useId();
  return (
    <div className={css["field"]}>
      <label className={css["label"]} htmlFor={id}>
        {label}
      </label>
      <input
        {...rest}
        id={id}
        className={css["input"]}
        {...(help === undefined ? {} : { "aria-describedby": `${id}-help` })}
      />
      {help === undefined ? null : (
        <p id={`${id}-help`} className={css["help"]}>
          {help}
        </p>
      )}
    </div>
  );
}

type SelectFieldProps = SelectHTMLAttributes<HTMLSelectElement> & Around & { children: ReactNode };

/** A choice of one of a few options. */
export function SelectField({ label, help, children, ...rest }: SelectFieldProps): ReactElement {
  const id = useId();
  return (
    <div className={css["field"]}>
      <label className={css["label"]} htmlFor={id}>
        {label}
      </label>
      <select {...rest} id={id} className={css["input"]}>
        {children}
      </select>
      {help === undefined ? null : <p className={css["help"]}>{help}</p>}
    </div>
  );
}

/** Buttons at the end of a form. */
export function FormEnd({ children }: { children: ReactNode }): ReactElement {
  return <div className={css["row"]}>{children}</div>;
}
