// Catches the failure of a part of the page: one that is loaded on demand, or that throws while it is rendered. A part
// may be missing because the playground was built again while the page was open; the note then offers to load the page
// again.

import { Component } from "react";
import type { ReactElement, ReactNode } from "react";

import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { wordsOf } from "./note.tsx";

import css from "./note.module.css";

interface PartBoundaryProps {
  children: ReactNode;
  /** Shows the failure of a part without a place of its own in a dialog; called when the dialog is closed. */
  onClose?: () => void;
  /** The address of the page: a failed part is rendered again when the address changes. */
  at?: string;
}

interface PartBoundaryState {
  error: unknown;
}

/** Renders its children, or the failure. */
export class PartBoundary extends Component<PartBoundaryProps, PartBoundaryState> {
  override readonly state: PartBoundaryState = { error: null };

  static getDerivedStateFromError(error: unknown): PartBoundaryState {
    return { error: error ?? new Error("It failed without a word.") };
  }

  override componentDidUpdate({ at }: PartBoundaryProps): void {
    if (at !== this.props.at && this.state.error !== null) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    const { children, onClose } = this.props;
    if (error === null) return children;
    const again = (): void => this.setState({ error: null });
    if (onClose === undefined) return <FailedPart error={error} onAgain={again} />;
    return (
      <Dialog open onClose={onClose} title="This could not be shown">
        <FailedPart error={error} onAgain={again} />
      </Dialog>
    );
  }
}

function FailedPart({ error, onAgain }: { error: unknown; onAgain: () => void }): ReactElement {
  const missing = isMissing(error);
  return (
    <div className={css["error"]} role="alert">
      <strong>{missing ? "A part of this page could not be loaded" : "This part of the page failed"}</strong>
      <p>
        {missing
          ? "The playground was built again after this page was opened, or the network is gone. What you were writing is kept."
          : wordsOf(error)}
      </p>
      <div className={css["choices"]}>
        <Button small onClick={() => location.reload()}>
          Load the page again
        </Button>
        {missing ? null : (
          <Button small kind="quiet" onClick={onAgain}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}

/** Each browser has its own message for a script that failed to load, and the build adds messages for style sheets. */
function isMissing(error: unknown): boolean {
  return /dynamically imported module|importing a module script|preload CSS/i.test(wordsOf(error));
}
