import { getRouteApi } from "@tanstack/react-router";
import type { Risk, State } from "../api/types";
import { Chip } from "../components/Chip";
import { STATES } from "../components/parts";
import { useMe } from "../session/me";
import type { FeedFilter } from "./feed";

const route = getRouteApi("/p/$project/live");

/** The filters of the live page. They stand in the address. */
export function FeedFilters({ filter }: { filter: FeedFilter }) {
  const { parties } = useMe();
  const navigate = route.useNavigate();
  const change = (part: { [K in keyof FeedFilter]?: FeedFilter[K] | undefined }) => {
    const next = Object.entries({ ...filter, ...part }).filter(([, value]) => value);
    void navigate({ search: Object.fromEntries(next) as FeedFilter, replace: true });
  };
  return (
    <>
      <Chip label="Party" value={filter.party ?? ""} onChange={(party) => change({ party: party || undefined })}>
        <option value="">all</option>
        {parties.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </Chip>
      <Chip label="State" value={filter.state ?? ""} onChange={(state) => change({ state: (state || undefined) as State | undefined })}>
        <option value="">all</option>
        {Object.entries(STATES).map(([state, { word }]) => (
          <option key={state} value={state}>
            {word.toLowerCase()}
          </option>
        ))}
      </Chip>
      <Chip label="Risk" value={filter.risk ?? ""} onChange={(risk) => change({ risk: (risk || undefined) as Risk | undefined })}>
        <option value="">all</option>
        <option value="high">high</option>
        <option value="medium">medium</option>
        <option value="low">low</option>
      </Chip>
      <label className="fchip">
        Task
        <input type="text" value={filter.task ?? ""} placeholder="all" onChange={(event) => change({ task: event.target.value || undefined })} />
      </label>
      {Object.keys(filter).length > 0 && (
        <button type="button" className="btn sm ghost" onClick={() => void navigate({ search: {}, replace: true })}>
          Clear filters
        </button>
      )}
    </>
  );
}
