import { Link } from "@tanstack/react-router";
import { Icon } from "../components/Icon";
import { Logo } from "../components/Sash";
import { useReachable } from "../browser/reachable";
import { changeSettings, useSettings } from "../browser/settings";
import { clock } from "../text/time";
import { useLive } from "../live/live";
import { useMe } from "../session/me";
import { AccountMenu } from "./AccountMenu";
import { ProjectSwitch } from "./ProjectSwitch";
import { SearchBox } from "../search/SearchBox";

const NEXT_THEME = { system: "light", light: "dark", dark: "system" } as const;

export function TopBar({ onKeys }: { onKeys: () => void }) {
  const { project } = useMe();
  const { theme } = useSettings();
  return (
    <header className="top">
      <Link to="/p/$project/inbox" params={{ project }} className="brand">
        <Logo />
        Tasuki
      </Link>
      <span className="slash" aria-hidden="true">
        /
      </span>
      <ProjectSwitch />
      <SearchBox />
      <Connection />
      <button
        type="button"
        className="ib hide-s"
        aria-label={`Theme: ${theme}`}
        title={`Theme: ${theme}`}
        onClick={() => changeSettings({ theme: NEXT_THEME[theme] })}
      >
        <Icon name="theme" />
      </button>
      <button type="button" className="ib hide-s" aria-label="Keyboard shortcuts" onClick={onKeys}>
        <Icon name="question" />
      </button>
      <AccountMenu />
    </header>
  );
}

/** Says whether what is shown is current. */
function Connection() {
  const { status, asOf } = useLive();
  const isReachable = useReachable();
  const { time } = useSettings();
  if (status === "live" && isReachable) return <span className="conn">Live</span>;
  const since = asOf > 0 ? `, data as of ${clock(asOf, time === "utc")}` : "";
  const words = !isReachable ? `Reconnecting${since}` : status === "reconnecting" ? "No stream, asking every 5 s" : "Connecting";
  return (
    <span className="conn wait" role="status">
      {words}
    </span>
  );
}
