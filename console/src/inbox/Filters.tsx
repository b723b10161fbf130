import { getRouteApi, Link } from "@tanstack/react-router";
import type { Risk } from "../api/types";
import { Chip } from "../components/Chip";
import type { Filter } from "./filter";
import { type Kind, KINDS } from "../handoff/kinds";
import type { Sort } from "./list/order";
import { useMe } from "../session/me";
import { ViewsMenu } from "./views/ViewsMenu";

const route = getRouteApi("/p/$project/inbox");
const EXACT = { exact: true, includeSearch: true };

interface FiltersProps {
  filter: Filter;
  total: number | undefined;
  snoozed: number;
}

/** The views and filters of the inbox. They stand in the address, so a link shows the same list. */
export function Filters({ filter, total, snoozed }: FiltersProps) {
  const { project } = useMe();
  const navigate = route.useNavigate();
  const change = (part: { [K in keyof Filter]?: Filter[K] | undefined }) => {
    const next = Object.entries({ ...filter, ...part, h: undefined }).filter(([, value]) => value);
    void navigate({ search: Object.fromEntries(next) as Filter });
  };
  const isDone = filter.view === "done";
  const isSnoozed = filter.view === "snoozed";
  return (
    <>
      <nav className="tabs" aria-label="Views">
        <Link to="/p/$project/inbox" params={{ project }} search={{}} aria-current={isDone || isSnoozed ? undefined : "true"} activeOptions={EXACT}>
          Mine{total !== undefined && !isSnoozed && <span>{total.toLocaleString("en")}</span>}
        </Link>
        {(snoozed > 0 || isSnoozed) && (
          <Link to="/p/$project/inbox" params={{ project }} search={{ view: "snoozed" }} aria-current={isSnoozed ? "true" : undefined} activeOptions={EXACT}>
            Snoozed<span>{snoozed.toLocaleString("en")}</span>
          </Link>
        )}
        <Link to="/p/$project/inbox" params={{ project }} search={{ view: "done" }} aria-current={isDone ? "true" : undefined} activeOptions={EXACT}>
          Done
        </Link>
      </nav>
      {!isDone && (
        <div className="bar">
          <Chip label="Kind" value={filter.kind ?? ""} onChange={(kind) => change({ kind: (kind || undefined) as Kind })}>
            <option value="">any</option>
            {Object.entries(KINDS).map(([kind, { word }]) => (
              <option key={kind} value={kind}>
                {word}
              </option>
            ))}
          </Chip>
          <Chip label="Risk" value={filter.risk ?? ""} onChange={(risk) => change({ risk: (risk || undefined) as Risk })}>
            <option value="">any</option>
            <option value="high">high</option>
            <option value="medium">medium</option>
            <option value="low">low</option>
          </Chip>
          <ViewsMenu filter={filter} />
          <span className="end" />
          <Chip label="Sort" value={filter.sort ?? ""} onChange={(sort) => change({ sort: (sort || undefined) as Sort })}>
            <option value="">deadline</option>
            <option value="risk">risk</option>
            <option value="oldest">oldest</option>
          </Chip>
        </div>
      )}
    </>
  );
}
