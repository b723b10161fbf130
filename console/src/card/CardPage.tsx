import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { handoffQuery, inboxQuery } from "../api/queries";
import { Icon } from "../components/Icon";
import { Sheet } from "../components/Sheet";
import { Text } from "../components/Text";
import { announce } from "../browser/announce";
import { shortId } from "../text/ids";
import { useKeys } from "../browser/keys";
import { compare } from "../inbox/list/order";
import { plain, shorten } from "../text/text";
import { useTitle } from "../browser/title";
import { InboxLink } from "../shell/Shell";
import { useMe } from "../session/me";
import { HandoffView } from "./HandoffView";

const route = getRouteApi("/p/$project/h/$id");

/** A card as a page of its own, with an address that can be sent. */
export function CardPage() {
  const { id } = route.useParams();
  const { project } = useMe();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { data } = useQuery(handoffQuery(project, id));
  const inbox = useQuery(inboxQuery(project));
  const [showsJson, setShowsJson] = useState(false);
  const handoff = data?.handoff;
  useTitle(handoff ? `${shortId(handoff.id)} r${handoff.revision} · ${plain(shorten(handoff.goal ?? handoff.task, 60))}` : "Handoff");

  // A short id or a task also names a handoff; its own id is the address that lasts.
  const full = handoff?.id;
  useEffect(() => {
    if (full && full !== id) void navigate({ to: "/p/$project/h/$id", params: { project, id: full }, replace: true });
  }, [full, id, project, navigate]);

  useEffect(() => document.getElementById("main")?.focus(), [id]);

  const ids = (inbox.data?.items ?? []).toSorted(compare("deadline")).map((one) => one.id);
  const at = handoff ? ids.indexOf(handoff.id) : -1;
  const go = (target: string | undefined) => {
    if (target) void navigate({ to: "/p/$project/h/$id", params: { project, id: target } });
  };
  const copy = async () => {
    if (!handoff) return;
    const address = new URL(`/ui/p/${encodeURIComponent(project)}/h/${handoff.id}`, window.location.href);
    await navigator.clipboard?.writeText(address.href);
    announce("The permalink is on the clipboard.");
  };
  useKeys({
    u: () => void navigate({ to: "/p/$project/inbox", params: { project }, search: { h: id } }),
    "[": () => go(ids[at - 1]),
    "]": () => go(ids[at + 1]),
    y: () => void copy(),
    ".": () => setShowsJson(true),
  });
  return (
    <main id="main" className="page" tabIndex={-1}>
      <h1 className="sr-only">
        Handoff {shortId(id)}
        {handoff && `, revision ${handoff.revision}`}
      </h1>
      <div className="ph">
        <InboxLink id={id} />
        {at >= 0 && (
          <span className="mut">
            {at + 1} of {ids.length}
          </span>
        )}
        {at >= 0 && (
          <span className="row hide-s">
            <kbd>[</kbd>
            <kbd>]</kbd> <span className="mut">previous, next</span>
          </span>
        )}
        <span className="end row">
          <button type="button" className="btn sm" onClick={() => void copy()}>
            <Icon name="copy" />
            Permalink <kbd>Y</kbd>
          </button>
          <button type="button" className="btn sm hide-s" onClick={() => setShowsJson(true)}>
            JSON <kbd>.</kbd>
          </button>
        </span>
      </div>
      <HandoffView
        key={id}
        id={id}
        variant="page"
        onDecided={() => void client.invalidateQueries({ queryKey: inboxQuery(project).queryKey })}
      />
      {handoff?.child && (
        <p className="mt-3">
          Passed on as{" "}
          <Link to="/p/$project/h/$id" params={{ project, id: handoff.child }}>
            {shortId(handoff.child)}
          </Link>
        </p>
      )}
      {showsJson && data && (
        <Sheet title={`${shortId(id)} as JSON`} isWide onClose={() => setShowsJson(false)}>
          <pre className="code tall" tabIndex={0} role="region" aria-label="JSON">
            <span>
              <Text>{JSON.stringify({ ...data, etag: undefined }, null, 2)}</Text>
            </span>
          </pre>
        </Sheet>
      )}
    </main>
  );
}
