import { useMatchRoute, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Icon } from "../components/Icon";
import { useMe } from "../session/me";

/** Filters the inbox while typing; Enter looks through all packets and events. */
export function SearchBox() {
  const { project } = useMe();
  const navigate = useNavigate();
  const isInbox = Boolean(useMatchRoute()({ to: "/p/$project/inbox" }));
  const { q } = useSearch({ strict: false }) as { q?: string };
  const [typed, setTyped] = useState<string>();
  const value = typed ?? q ?? "";
  const change = (text: string) => {
    setTyped(text);
    if (!isInbox) return;
    void navigate({ to: "/p/$project/inbox", params: { project }, replace: true, search: (old) => ({ ...old, q: text || undefined }) as never });
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
