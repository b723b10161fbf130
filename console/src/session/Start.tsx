import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { ApiError } from "../api/http";
import { whoamiQuery } from "../api/queries";
import { ProblemNote } from "../components/Problem";
import { Welcome } from "./Welcome";

/** Leads to the inbox of the project that is served, or to sign in. */
export function Start() {
  const { data, error } = useQuery(whoamiQuery(undefined));
  if (data) return <Navigate to="/p/$project/inbox" params={{ project: data.project ?? "default" }} replace />;
  if (error instanceof ApiError && error.status === 401) return <Navigate to="/sign-in" replace />;
  return error ? (
    <Welcome title="Tasuki">
      <ProblemNote error={error} />
    </Welcome>
  ) : null;
}
