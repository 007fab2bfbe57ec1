// Shows the plain text if rendering it fails, so that no text can break the page.

import { Component } from "react";
import type { ReactNode } from "react";

import css from "./markdown.module.css";

interface PlainOnFailureProps {
  text: string;
  children: ReactNode;
}

interface PlainOnFailureState {
  /** The current text failed to render; a changed text is tried again. */
  failed: boolean;
}

/** The original text. */
export function PlainText({ text }: { text: string }): ReactNode {
  return <p className={css["plain"]}>{text}</p>;
}

/** Renders its children, or the plain text if they throw. */
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
