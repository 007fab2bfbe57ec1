// The form that asks for a token. The token is sent in a header only. It is kept in memory, and in this tab's session
// storage if the visitor chooses that.

import { useState } from "react";
import type { SubmitEvent, ReactElement } from "react";

import { usePageTitle } from "../app/page-title.ts";
import { pagesPath } from "../app/place.ts";
import { Wordmark } from "../app/wordmark.tsx";
import { Button } from "../kit/button.tsx";
import { FormEnd, TextField } from "../kit/field.tsx";

import css from "./access.module.css";

interface SignInPageProps {
  /** Why the last token was refused; null at the first visit. */
  reason: string | null;
  onToken: (token: string, keep: boolean) => void;
}

export function SignInPage({ reason, onToken }: SignInPageProps): ReactElement {
  usePageTitle("Sign in");
  const [token, setToken] = useState("");
  const [keep, setKeep] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (token.trim() !== "") onToken(token.trim(), keep);
  };
  return (
    <main className={css["page"]}>
      <form className={css["card"]} onSubmit={submit} aria-labelledby="sign-in">
        <Wordmark />
        <h1 id="sign-in" className={css["title"]}>
          Sign in to this deployment
        </h1>
        {reason === null ? null : (
          <p className={css["reason"]} role="alert">
            {reason}
          </p>
        )}
        <TextField
          label="Token or JWT"
          type="password"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={token}
          onChange={(event) => setToken(event.target.value)}
          help={
            <>
              One of <code>API_TOKENS</code>, or a JWT that this deployment checks. It is sent in a header only.
              {pagesPath === ""
                ? null
                : " If this site has a sign-in of its own, sign in there, and load this page again."}
            </>
          }
        />
        <label className={css["keep"]}>
          <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.target.checked)} />
          Remember it in this tab until it is closed
        </label>
        <FormEnd>
          <Button kind="primary" type="submit" disabled={token.trim() === ""}>
            Sign in
          </Button>
        </FormEnd>
      </form>
    </main>
  );
}
