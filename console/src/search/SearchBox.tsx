import { useMatchRoute, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Icon } from "../components/Icon";
import { readFilter } from "../inbox/filter";
import { useMe } from "../session/me";

/** Filters the inbox while typing; Enter looks through all packets and events. */
export function SearchBox() {
  const { project } = useMe();
  const navigate = useNavigate();
  const isInbox = Boolean(useMatchRoute()({ to: "/p/$project/inbox" }));
  const filter = readFilter(useSearch({ strict: false }));
  const [typed, setTyped] = useState<string>();
  const value = typed ?? filter.q ?? "";
  const change = (text: string) => {
    setTyped(text);
    if (!isInbox) return;
    const { q: _, h: __, ...rest } = filter;
    void navigate({ to: "/p/$project/inbox", params: { project }, replace: true, search: text ? { ...rest, q: text } : rest });
  };
  return (
    <form
      className="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (value.trim()) void navigate({ to: "/p/$project/search", params: { project }, search: { q: value.trim() } });
      }}
    >
      <Icon name="search" />
      <input
        id="search"
        type="search"
        aria-label="Search"
        placeholder="Search handoffs, tasks, parties"
        value={value}
        onChange={(event) => change(event.target.value)}
        onBlur={() => setTyped(undefined)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          change("");
          event.currentTarget.blur();
        }}
      />
      <kbd>/</kbd>
    </form>
  );
}
