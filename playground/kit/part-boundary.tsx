// A part of the page that may fail by itself: what is loaded when it is asked for, and whatever throws while it is drawn. A part that
// is not there any more, since the playground was built anew while the page was open, comes with the page that fits to it.

import { Component } from "react";
import type { ReactElement, ReactNode } from "react";

import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { wordsOf } from "./note.tsx";

import css from "./note.module.css";

interface PartBoundaryProps {
  children: ReactNode;
  /** Shows the failure in a dialog, of a part that has no place of its own; called when it is closed. */
  onClose?: () => void;
  /** Where the page is: what failed is drawn anew elsewhere. */
  at?: string;
}

interface PartBoundaryState {
  error: unknown;
}

/** Draws what is in it, or what became of it. */
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
          ? "The playground was built anew since the page was opened, or the network is gone. What you were writing is kept."
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

/** Each browser has words of its own for a script that did not come, and the build adds some for a style. */
function isMissing(error: unknown): boolean {
  return /dynamically imported module|importing a module script|preload CSS/i.test(wordsOf(error));
}
