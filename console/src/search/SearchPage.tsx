import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useGoals, useSearch } from "../api/queries";
import { ProblemNote } from "../components/Problem";
import { Text } from "../components/Text";
import { shortId } from "../text/ids";
import { shorten } from "../text/text";
import { useTitle } from "../browser/title";
import { useMe } from "../session/me";

const route = getRouteApi("/p/$project/search");

/** Looks through all packets and events of the project. */
export function SearchPage() {
  const { q = "" } = route.useSearch();
  const { project } = useMe();
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(q);
  const { data, error, isFetching } = useSearch(project, q);
  const goals = useGoals(project);
  useTitle(q ? `${q} · Search` : "Search");
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="grid max-w-[920px] gap-4">
        <h1>Search</h1>
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            void navigate({ search: typed.trim() ? { q: typed.trim() } : {} });
          }}
        >
          <input
            className="field"
            type="search"
            aria-label="Words"
            placeholder="Words of packets, actions and events"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <button type="submit" className="btn">
            Search
          </button>
        </form>
        {error && <ProblemNote error={error} />}
        <p className="mut" role="status">
          {q && data && !isFetching ? `${data.length} found for “${q}”, newest first.` : q ? "" : "Each word is the beginning of a word."}
        </p>
        {data && data.length > 0 && (
          <ul className="pan">
            {data.map((found) => (
              <li key={`${found.n} ${found.kind}`} className="border-b border-line px-4 py-2 last:border-b-0">
                <div className="row mut text-[12px]">
                  <span>{found.kind}</span>
                  <span className="end">
                    {found.handoff && shortId(found.handoff)} log #{found.n}
                  </span>
                </div>
                {found.handoff && (
                  <Link to="/p/$project/h/$id" params={{ project, id: found.handoff }} className="text-[14px] font-medium">
                    <Text>{shorten(goals.get(found.handoff) ?? found.handoff, 160)}</Text>
                  </Link>
                )}
                <p className="sec line-clamp-3 whitespace-pre-wrap wrap-anywhere">
                  <Text>{found.excerpt}</Text>
                </p>
              </li>
            ))}
          </ul>
        )}
      </div>
    </main>
  );
}
