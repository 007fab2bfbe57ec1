// The facts of a skill on its page: the instructions that a model reads, and its further files, as text.

import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useThreadholdClient } from "threadhold/react";

import { ErrorNote, LoadingNote } from "../kit/note.tsx";
import { Part } from "./definition-facts.tsx";

import css from "./definition.module.css";

export function SkillFacts({ name }: { name: string }): ReactElement {
  const client = useThreadholdClient();
  const { data, error, refetch } = useQuery({
    queryKey: ["skill", name],
    queryFn: ({ signal }) => client.definitions.skills.get(name, { signal }),
  });
  if (data === undefined) {
    if (error === null) return <LoadingNote what="the skill" />;
    return <ErrorNote title="The skill could not be loaded" error={error} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <Part title="Instructions">
        <div className={css["text"]}>
          <pre>{data.text}</pre>
        </div>
      </Part>
      {data.files.length === 0 ? null : (
        <Part title="Further files">
          {data.files.map(({ path, text }) => (
            <details key={path} className={css["further"]}>
              <summary>
                <code>{path}</code>
              </summary>
              <div className={css["text"]}>
                <pre>{text}</pre>
              </div>
            </details>
          ))}
        </Part>
      )}
    </>
  );
}
