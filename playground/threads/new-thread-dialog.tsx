// The dialog that creates a thread for any agent, with a title, tags and initial messages.

import { useState } from "react";
import type { SubmitEvent, ReactElement } from "react";

import { useAgents } from "../agents/use-agents.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { FormEnd, SelectField, TextField } from "../kit/field.tsx";
import { ErrorNote } from "../kit/note.tsx";
import { isVisible } from "../kit/visible-text.ts";
import { InitialMessages } from "./initial-messages.tsx";
import type { InitialMessage } from "./initial-messages.tsx";
import { tagsOf } from "./tags.ts";
import { useNewThread } from "./use-new-thread.ts";

import css from "./new-thread-dialog.module.css";

/** The dialog; it is mounted only while it is open. */
export function NewThreadDialog({ onClose }: { onClose: () => void }): ReactElement {
  return (
    <Dialog open onClose={onClose} title="New thread" about="A durable conversation with one of the project's agents.">
      <NewThreadForm onDone={onClose} />
    </Dialog>
  );
}

function NewThreadForm({ onDone }: { onDone: () => void }): ReactElement {
  const { agents } = useAgents();
  const [agent, setAgent] = useState("");
  const [title, setTitle] = useState("");
  const [tags, setTags] = useState("");
  const [messages, setMessages] = useState<readonly InitialMessage[]>([]);
  const create = useNewThread();
  const chosen = agent === "" ? agents[0]?.agent.name : agent;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (chosen === undefined) return;
    const thread = {
      agent_id: chosen,
      ...(title.trim() === "" ? {} : { title: title.trim() }),
      ...(tags.trim() === "" ? {} : { tags: tagsOf(tags) }),
      initial_messages: messages.filter(({ content }) => isVisible(content)),
    };
    create.mutate({ thread }, { onSuccess: onDone });
  };
  return (
    <form onSubmit={submit} className={css["form"]}>
      <SelectField label="Agent" value={chosen ?? ""} onChange={(event) => setAgent(event.target.value)}>
        {agents.map(({ agent: { name, title: shown }, missing }) => (
          <option key={name} value={name}>
            {missing === null ? shown : `${shown} (needs ${missing})`}
          </option>
        ))}
      </SelectField>
      <TextField label="Title" value={title} maxLength={500} onChange={(event) => setTitle(event.target.value)} />
      <TextField
        label="Tags"
        value={tags}
        onChange={(event) => setTags(event.target.value)}
        help="Separated by commas."
      />
      <InitialMessages messages={messages} onChange={setMessages} />
      {create.error === null ? null : <ErrorNote title="The thread was not created" error={create.error} />}
      <FormEnd>
        <Button kind="quiet" onClick={onDone}>
          Cancel
        </Button>
        <Button kind="primary" type="submit" disabled={create.isPending || chosen === undefined}>
          {create.isPending ? "Creating…" : "Create thread"}
        </Button>
      </FormEnd>
    </form>
  );
}
