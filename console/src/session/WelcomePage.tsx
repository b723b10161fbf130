import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { signIn } from "../api/client";
import { ProblemNote } from "../components/Problem";
import { Welcome } from "./Welcome";

const route = getRouteApi("/welcome");

/** The page of the link that the server prints. Opening it redeems nothing; the button does. */
export function WelcomePage() {
  const { t } = route.useSearch();
  const client = useQueryClient();
  const navigate = useNavigate();
  const redeem = useMutation({
    mutationFn: () => signIn({ code: t ?? "" }),
    onSuccess: () => {
      client.clear();
      void navigate({ to: "/", replace: true });
    },
  });
  return (
    <Welcome title="Open the console">
      <div className="sec">
        This link signs you in on this machine as the person who started the server. It works once, within 15 minutes of
        the start. Signing off at a gate still asks for your password.
        <div role="status">{redeem.error && <ProblemNote error={redeem.error} />}</div>
      </div>
      <button type="button" className="btn pri" disabled={!t || redeem.isPending} autoFocus onClick={() => redeem.mutate()}>
        {redeem.isPending ? "Signing in" : "Sign in and open the inbox"}
      </button>
      <Link to="/sign-in" className="justify-self-start">
        Sign in with a password
      </Link>
    </Welcome>
  );
}
