import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { ApiError } from "../api/http";
import { useParties, whoamiQuery } from "../api/queries";
import type { Whoami } from "../api/types";
import { ProblemNote } from "../components/Problem";
import { viewerOf } from "../handoff/verbs";
import { useEventStream } from "../live/live";
import { MeContext } from "../session/me";
import { SessionEnded } from "../session/SessionEnded";
import { Welcome } from "../session/Welcome";
import { Shell } from "./Shell";

const route = getRouteApi("/p/$project");

/** Opens a project: who is signed in, its event stream, and the frame around its pages. */
export function ProjectLayout() {
  const { project } = route.useParams();
  const { data, error } = useQuery(whoamiQuery(project));
  const navigate = useNavigate();
  const isSignedOut = error instanceof ApiError && error.status === 401;
  const isStranger = isSignedOut && !data;
  useEffect(() => {
    if (!isStranger) return;
    const { pathname, search } = window.location;
    void navigate({ to: "/sign-in", search: { next: `${pathname}${search}` }, replace: true });
  }, [isStranger, navigate]);
  if (!data) {
    return error && !isSignedOut ? (
      <Welcome title={project}>
        <ProblemNote error={error} />
      </Welcome>
    ) : null;
  }
  return <OpenProject project={project} identity={data} isSignedOut={isSignedOut} />;
}

interface OpenProjectProps {
  project: string;
  identity: Whoami;
  isSignedOut: boolean;
}

function OpenProject({ project, identity, isSignedOut }: OpenProjectProps) {
  useEventStream(project, !isSignedOut);
  const { data: parties } = useParties(project);
  const me = useMemo(() => {
    const known = parties ?? [];
    const viewer = viewerOf(identity.party, identity.scopes, known);
    return { project, projects: (identity.projects ?? []).map((one) => one.project), viewer, parties: known };
  }, [project, identity, parties]);
  return (
    <MeContext value={me}>
      <Shell>
        <Outlet />
      </Shell>
      {isSignedOut && <SessionEnded person={identity.party} />}
    </MeContext>
  );
}
