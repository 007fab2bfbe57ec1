// A text that cannot be drawn as what it says it is, is shown as it was written: no words take the page down with them.

import { Component } from "react";
import type { ReactNode } from "react";

import css from "./markdown.module.css";

interface PlainOnFailureProps {
  text: string;
  children: ReactNode;
}

interface PlainOnFailureState {
  /** The text as it is now is not drawn; another one is tried again. */
  failed: boolean;
}

/** The text as it was written. */
export function PlainText({ text }: { text: string }): ReactNode {
  return <p className={css["plain"]}>{text}</p>;
}

/** Draws its children, or the plain text where they throw. */
export class PlainOnFailure extends Component<PlainOnFailureProps, PlainOnFailureState> {
  override readonly state: PlainOnFailureState = { failed: false };

  static getDerivedStateFromError(): PlainOnFailureState {
    return { failed: true };
  }

  override componentDidUpdate({ text }: PlainOnFailureProps): void {
    if (this.state.failed && text !== this.props.text) this.setState({ failed: false });
  }

  override render(): ReactNode {
    return this.state.failed ? <PlainText text={this.props.text} /> : this.props.children;
  }
}
