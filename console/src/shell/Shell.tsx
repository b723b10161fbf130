import { Link, useMatchRoute, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Icon } from "../components/Icon";
import { isTyping, useKeys } from "../browser/keys";
import { useNotifications } from "../live/notifications";
import type { Section } from "../operate/sections";
import { useMe } from "../session/me";
import { Announcer } from "./Announcer";
import { KeysSheet } from "./KeysSheet";
import { SideNav, TabBar } from "./nav";
import { TopBar } from "./TopBar";

/** Where `G` and another key go. */
const PLACES = {
  i: "/p/$project/inbox",
  s: "/p/$project/live",
  v: "/p/$project/overview",
  t: "/p/$project/tasks",
  ",": "/p/$project/settings",
} as const;

/** The frame of every page of a project. */
export function Shell({ children }: { children: ReactNode }) {
  const { project } = useMe();
  useNotifications();
  const [showsKeys, setShowsKeys] = useState(false);
  const navigate = useNavigate();
  const isCard = Boolean(useMatchRoute()({ to: "/p/$project/h/$id" }));
  const operate = (section: Section) => void navigate({ to: "/p/$project/operate/$section", params: { project, section } });
  const go = (to: (typeof PLACES)[keyof typeof PLACES]) => void navigate({ to, params: { project } });
  useKeys({
    "?": () => setShowsKeys(true),
    "/": () => document.querySelector<HTMLInputElement>("#search")?.focus(),
    g: () => {
      const next = (event: KeyboardEvent) => {
        if (isTyping(event.target)) return;
        const place = PLACES[event.key as keyof typeof PLACES];
        if (place) go(place);
        if (event.key === "o") operate("contracts");
        if (event.key === "d") operate("dead");
        event.preventDefault();
        event.stopImmediatePropagation();
      };
      window.addEventListener("keydown", next, { once: true, capture: true });
    },
  });
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <div className={isCard ? "app card-page" : "app"}>
        <TopBar onKeys={() => setShowsKeys(true)} />
        <SideNav />
        {children}
        <TabBar />
      </div>
      <Announcer />
      {showsKeys && <KeysSheet onClose={() => setShowsKeys(false)} />}
    </>
  );
}

/** A link back to the inbox, where the card is still open beside the list. */
export function InboxLink({ id }: { id: string }) {
  const { project } = useMe();
  return (
    <Link to="/p/$project/inbox" params={{ project }} search={{ h: id }} className="btn ghost sm">
      <Icon name="back" />
      Inbox <kbd>U</kbd>
    </Link>
  );
}
