import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { signIn } from "../api/client";
import { ProblemNote } from "../components/Problem";
import { Welcome } from "./Welcome";

const route = getRouteApi("/welcome");

/** The page of the link that the server prints. The page posts its code; fetching the page redeems nothing. */
export function WelcomePage() {
  const { t } = route.useSearch();
  const client = useQueryClient();
  const navigate = useNavigate();
  const redeem = useMutation({
    mutationFn: (code: string) => signIn({ code }),
    onSuccess: () => {
      client.clear();
      void navigate({ to: "/", replace: true });
    },
  });
  const { mutate } = redeem;
  // React runs effects twice in development, and the code works once.
  const sent = useRef(false);
  useEffect(() => {
    if (!t || sent.current) return;
    sent.current = true;
    mutate(t);
  }, [t, mutate]);
  return (
    <Welcome title="Open the console">
      <p className="sec">
        This link signs you in on this machine as the person who started the server. It works once, within 15 minutes of
        the start. Signing off at a gate still asks for your password.
      </p>
      <div role="status">{redeem.error ? <ProblemNote error={redeem.error} /> : t && "Signing in …"}</div>
      <Link to="/sign-in" className="btn pri justify-self-start">
        Sign in with a password
      </Link>
    </Welcome>
  );
}
