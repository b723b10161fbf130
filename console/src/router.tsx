// The addresses of the console. Everything that a person may want to send to another is in them.

import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router";
import { CardPage } from "./card/CardPage";
import { InboxPage } from "./inbox/InboxPage";
import { readFilter } from "./inbox/filter";
import { OperatePage } from "./operate/OperatePage";
import { SearchPage } from "./search/SearchPage";
import { MailPage } from "./mail/MailPage";
import { Start } from "./session/Start";
import { SignInPage } from "./session/SignInPage";
import { WelcomePage } from "./session/WelcomePage";
import { NotFound } from "./shell/NotFound";
import { ProjectLayout } from "./shell/ProjectLayout";
import { TaskPage } from "./watch/task/TaskPage";
import { TasksPage } from "./watch/task/TasksPage";
import { readTaskView } from "./watch/task/view";
import { readFeedFilter } from "./watch/feed";
import { LivePage } from "./watch/LivePage";
import { OverviewPage, readPeriod } from "./watch/OverviewPage";
import { SettingsPage } from "./shell/SettingsPage";

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const start = createRoute({ getParentRoute: () => root, path: "/", component: Start });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): { next?: string } => {
    const next = textOf(search.next);
    // Only an address of the console is followed after signing in.
    return next?.startsWith("/ui/") ? { next } : {};
  },
  component: SignInPage,
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: "/welcome",
  validateSearch: (search: Record<string, unknown>): { t?: string } => {
    const t = textOf(search.t);
    return t ? { t } : {};
  },
  component: WelcomePage,
});

const mail = createRoute({ getParentRoute: () => root, path: "/m", component: MailPage });

const showcase = createRoute({
  getParentRoute: () => root,
  path: "/card",
  component: lazyRouteComponent(() => import("./showcase/ShowcasePage"), "ShowcasePage"),
});

const project = createRoute({ getParentRoute: () => root, path: "/p/$project", component: ProjectLayout });

const projectStart = createRoute({
  getParentRoute: () => project,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/p/$project/inbox", params });
  },
});

const inbox = createRoute({
  getParentRoute: () => project,
  path: "/inbox",
  validateSearch: readFilter,
  component: InboxPage,
});

const card = createRoute({ getParentRoute: () => project, path: "/h/$id", component: CardPage });

const cardAlias = createRoute({
  getParentRoute: () => project,
  path: "/handoffs/$id",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/p/$project/h/$id", params });
  },
});

const search = createRoute({
  getParentRoute: () => project,
  path: "/search",
  validateSearch: (given: Record<string, unknown>): { q?: string } => {
    const q = textOf(given.q);
    return q ? { q } : {};
  },
  component: SearchPage,
});

const operate = createRoute({ getParentRoute: () => project, path: "/operate/$section", component: OperatePage });

const operateStart = createRoute({
  getParentRoute: () => project,
  path: "/operate",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/p/$project/operate/$section", params: { ...params, section: "contracts" } });
  },
});

const live = createRoute({ getParentRoute: () => project, path: "/live", validateSearch: readFeedFilter, component: LivePage });

const overview = createRoute({ getParentRoute: () => project, path: "/overview", validateSearch: readPeriod, component: OverviewPage });

const tasks = createRoute({ getParentRoute: () => project, path: "/tasks", component: TasksPage });

const task = createRoute({ getParentRoute: () => project, path: "/t/$task", validateSearch: readTaskView, component: TaskPage });

const settings = createRoute({ getParentRoute: () => project, path: "/settings", component: SettingsPage });

const routeTree = root.addChildren([
  start,
  signIn,
  welcome,
  mail,
  showcase,
  project.addChildren([projectStart, inbox, card, cardAlias, live, overview, tasks, task, search, operateStart, operate, settings]),
]);

export function createConsoleRouter() {
  return createRouter({ routeTree, basepath: "/ui", scrollRestoration: false });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
