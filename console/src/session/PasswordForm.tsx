import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { signIn } from "../api/client";
import { ProblemNote } from "../components/Problem";

/** Asks for name and password. With a name given, only that person can sign in. */
export function PasswordForm({ person, onDone }: { person?: string; onDone: (person: string) => void }) {
  const [name, setName] = useState(person ?? "");
  const [password, setPassword] = useState("");
  const [isMine, setMine] = useState(false);
  const attempt = useMutation({
    mutationFn: () => signIn({ name: name.trim(), password, ...(isMine ? { remember: true } : {}) }),
    onSuccess: (session) => onDone(session.person),
    onError: () => setPassword(""),
  });
  return (
    <form
      className="grid gap-4"
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        attempt.mutate();
      }}
    >
      <div className="form-row">
        <label htmlFor="name">Name</label>
        <input
          id="name"
          className="field"
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          readOnly={person !== undefined}
          autoFocus={person === undefined}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <div className="form-row">
        <label htmlFor="password">Password</label>
        <input
          id="password"
          className="field"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus={person !== undefined}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <div role="status">{attempt.error && <ProblemNote error={attempt.error} />}</div>
      </div>
      <div className="checks">
        <label>
          <input type="checkbox" className="cb" checked={isMine} onChange={(event) => setMine(event.target.checked)} />
          <span>
            This is my device
            <span className="sec block">Stay signed in for 30 days. Otherwise the session ends after 12 hours without use.</span>
          </span>
        </label>
      </div>
      <button type="submit" className="btn pri" disabled={attempt.isPending}>
        {attempt.isPending ? "Signing in" : "Sign in"}
      </button>
    </form>
  );
}
