// Shown if a file was changed elsewhere since it was read: the other version, and the choice between it and the user's version.

import { useState } from "react";
import type { ReactElement } from "react";

import { Button } from "../../kit/button.tsx";
import { languageOf } from "../preview/file-kind.ts";
import { NumberedCode } from "../preview/numbered-code.tsx";
import type { Theirs } from "./use-editing.ts";

import css from "./editor.module.css";

interface EditConflictProps {
  theirs: Theirs;
  name: string;
  saving: boolean;
  /** Discards the typed text. */
  onTheirs: () => void;
  /** Overwrites the other version, but no later one. */
  onMine: () => void;
  /** Continues editing. */
  onLater: () => void;
}

export function EditConflict({ theirs, name, saving, onTheirs, onMine, onLater }: EditConflictProps): ReactElement {
  const [seen, setSeen] = useState(false);
  return (
    <div className={css["conflict"]} role="alert">
      <strong>{theirs === null ? "The file was deleted meanwhile" : "The file was changed meanwhile"}</strong>
      <p>
        {theirs === null
          ? "Nothing was saved. Write it again, or let it go."
          : "Nothing was saved. What stands there now is not what you began with."}
      </p>
      <div className={css["choices"]}>
        {theirs === null || theirs.text === null ? null : (
          <Button small aria-expanded={seen} onClick={() => setSeen(!seen)}>
            {seen ? "Hide theirs" : "See both"}
          </Button>
        )}
        <Button small onClick={onTheirs}>
          {theirs === null ? "Let it go" : "Take theirs, drop mine"}
        </Button>
        <Button small kind="danger" disabled={saving} onClick={onMine}>
          {theirs === null ? "Write it again" : "Overwrite with mine"}
        </Button>
        <Button small kind="quiet" onClick={onLater}>
          Keep typing
        </Button>
      </div>
      {seen && theirs !== null && theirs.text !== null ? (
        <div className={css["theirs"]}>
          <p className={css["caption"]}>Theirs; yours is below</p>
          <NumberedCode
            text={theirs.text}
            language={languageOf(name)}
            label={`${name}, as it is there now`}
            line={null}
          />
        </div>
      ) : null}
    </div>
  );
}
