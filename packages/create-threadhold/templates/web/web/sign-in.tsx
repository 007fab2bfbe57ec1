// The form for a token, which a deployment asks for.
import type { FormEvent } from "react";

interface SignInProps {
  /** Whether the server refused the token that the page has. */
  isRefused: boolean;
  onToken: (token: string) => void;
}

export function SignIn({ isRefused, onToken }: SignInProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get("token")).trim();
    if (token !== "") onToken(token);
  };
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <h1>my-app</h1>
        {isRefused ? <p role="alert">This token is not accepted.</p> : null}
        <label>
          Token
          <input name="token" type="password" autoComplete="current-password" autoFocus />
        </label>
        <button className="primary">Sign in</button>
      </form>
    </main>
  );
}
