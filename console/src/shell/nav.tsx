import { useQuery } from "@tanstack/react-query";
import { Link, useMatchRoute } from "@tanstack/react-router";
import { inboxQuery } from "../api/queries";
import { Icon } from "../components/Icon";
import { useSettings } from "../browser/settings";
import { clock } from "../text/time";
import { OperateLinks, OperateTab } from "../operate/OperateLinks";
import { useMe } from "../session/me";

/** The inbox is also the place of a card that is open as a page. */
function useInboxCurrent(): "page" | undefined {
  const match = useMatchRoute();
  const isCurrent = match({ to: "/p/$project/inbox" }) || match({ to: "/p/$project/h/$id" });
  return isCurrent ? "page" : undefined;
}

/** The list of tasks is also the place of a task that is open. */
function useTaskCurrent(): "page" | undefined {
  const match = useMatchRoute();
  return match({ to: "/p/$project/tasks" }) || match({ to: "/p/$project/t/$task" }) ? "page" : undefined;
}

export function SideNav() {
  const { project } = useMe();
  const { data } = useQuery(inboxQuery(project));
  const { time } = useSettings();
  const inboxCurrent = useInboxCurrent();
  const taskCurrent = useTaskCurrent();
  return (
    <nav className="side" aria-label="Main">
      <Link to="/p/$project/inbox" params={{ project }} aria-current={inboxCurrent} activeProps={{}}>
        <Icon name="inbox" />
        <span>Inbox</span>
        {data && <b>{new Set(data.items.map((item) => item.task)).size.toLocaleString("en")}</b>}
      </Link>
      <Link to="/p/$project/live" params={{ project }} activeProps={{ "aria-current": "page" }}>
        <Icon name="live" />
        <span>Live</span>
      </Link>
      <Link to="/p/$project/overview" params={{ project }} activeProps={{ "aria-current": "page" }}>
        <Icon name="chart" />
        <span>Overview</span>
      </Link>
      <Link to="/p/$project/tasks" params={{ project }} aria-current={taskCurrent} activeProps={{}}>
        <Icon name="tasks" />
        <span>Tasks</span>
      </Link>
      <Link to="/p/$project/search" params={{ project }} activeProps={{ "aria-current": "page" }}>
        <Icon name="search" />
        <span>Search</span>
      </Link>
      <OperateLinks />
      <Link to="/p/$project/settings" params={{ project }} activeProps={{ "aria-current": "page" }}>
        <Icon name="gear" />
        <span>Settings</span>
      </Link>
      {data && (
        <div className="foot">
          Log entry #{data.asOfN.toLocaleString("en")}
          <br />
          Inbox checked {clock(Date.parse(data.asOf), time === "utc")}
        </div>
      )}
    </nav>
  );
}

export function TabBar() {
  const { project } = useMe();
  const inboxCurrent = useInboxCurrent();
  const taskCurrent = useTaskCurrent();
  return (
    <nav className="tabbar" aria-label="Main, compact">
      <Link to="/p/$project/inbox" params={{ project }} aria-current={inboxCurrent} activeProps={{}}>
        <Icon name="inbox" />
        Inbox
      </Link>
      <Link to="/p/$project/live" params={{ project }} activeProps={{ "aria-current": "page" }}>
        <Icon name="live" />
        Live
      </Link>
      <Link to="/p/$project/overview" params={{ project }} activeProps={{ "aria-current": "page" }}>
        <Icon name="chart" />
        Overview
      </Link>
      <Link to="/p/$project/tasks" params={{ project }} aria-current={taskCurrent} activeProps={{}}>
        <Icon name="tasks" />
        Tasks
      </Link>
      <Link to="/p/$project/search" params={{ project }} activeProps={{ "aria-current": "page" }}>
        <Icon name="search" />
        Search
      </Link>
      <OperateTab />
      <Link to="/p/$project/settings" params={{ project }} activeProps={{ "aria-current": "page" }}>
        <Icon name="gear" />
        Settings
      </Link>
    </nav>
  );
}
