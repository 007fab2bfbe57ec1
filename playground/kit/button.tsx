// Buttons: a primary one, plain ones, and icons.

import type { ButtonHTMLAttributes, MouseEvent, ReactElement, Ref } from "react";
import { Link } from "wouter";

import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";

import css from "./button.module.css";

type Kind = "primary" | "plain" | "quiet" | "danger";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind;
  small?: boolean;
  icon?: IconName;
  ref?: Ref<HTMLButtonElement>;
}

interface PlainButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  ref?: Ref<HTMLButtonElement>;
}

/**
 * A button without a style. If it is not available it keeps the focus that it has: a disabled element would lose it while its own action
 * runs. A click on it does nothing, and neither does Enter in a field of its form, which is a click on the form's button.
 */
export function PlainButton({ disabled, ...rest }: PlainButtonProps): ReactElement {
  if (disabled !== true) return <button type="button" {...rest} />;
  const refuse = (event: MouseEvent): void => {
    event.preventDefault();
    event.stopPropagation();
  };
  return <button type="button" {...rest} aria-disabled onClick={refuse} />;
}

export function Button({
  kind = "plain",
  small = false,
  icon,
  className,
  children,
  ...rest
}: ButtonProps): ReactElement {
  const classes = [css["button"], css[kind], small ? css["small"] : "", className ?? ""].join(" ");
  return (
    <PlainButton {...rest} className={classes}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </PlainButton>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName;
  /** The action, for screen readers and shown on hover. */
  label: string;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon, label, className, ...rest }: IconButtonProps): ReactElement {
  return (
    <PlainButton title={label} {...rest} aria-label={label} className={`${css["icon"]} ${className ?? ""}`}>
      <Icon name={icon} />
    </PlainButton>
  );
}

interface IconLinkProps {
  icon: IconName;
  /** The target, for screen readers and shown on hover. */
  label: string;
  href: string;
}

export function IconLink({ icon, label, href }: IconLinkProps): ReactElement {
  return (
    <Link href={href} title={label} aria-label={label} className={css["icon"] ?? ""}>
      <Icon name={icon} />
    </Link>
  );
}
