// Browser notifications about what newly needs the person, if they asked for them.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { inboxQuery } from "../api/queries";
import type { InboxItem } from "../api/types";
import { useSettings } from "../browser/settings";
import { KINDS, kindOf } from "../handoff/kinds";
import { useMe } from "../session/me";
import { plain, shorten } from "../text/text";
import { useLive } from "./live";

const MAX_GOAL = 200;
const MAX_AT_ONCE = 3;

/** Returns whether this browser can show notifications, and may. */
export function notificationPermission(): NotificationPermission | "unsupported" {
  return typeof Notification === "undefined" ? "unsupported" : Notification.permission;
}

export interface NotificationText {
  title: string;
  body: string;
}

/** Returns what a notification says. A screen may be seen by others: what a gate or a classification protects is left out. */
export function notificationText(item: InboxItem, me: string): NotificationText {
  const title = `${KINDS[kindOf(item, me)].word} from ${item.from}`;
  const isProtected = (item.gates?.length ?? 0) > 0 || item.classification !== undefined;
  return { title, body: isProtected ? "Open the console to read it." : plain(shorten(item.goal ?? item.task, MAX_GOAL)) };
}

/** Shows a notification for each new item, in the one tab of the browser that has the event stream. */
export function useNotifications(): void {
  const { project, viewer } = useMe();
  const { notify } = useSettings();
  const { leads } = useLive();
  const navigate = useNavigate();
  const { data } = useQuery(inboxQuery(project));
  const known = useRef<{ project: string; ids: Set<string> }>(undefined);
  useEffect(() => {
    if (!data) return;
    const before = known.current;
    known.current = { project, ids: new Set(data.items.map((item) => item.id)) };
    const isQuiet = !notify || !leads || document.visibilityState === "visible" || notificationPermission() !== "granted";
    // What was there when the page opened is not new.
    if (isQuiet || before?.project !== project) return;
    const fresh = data.items.filter((item) => !before.ids.has(item.id));
    for (const item of fresh.slice(0, MAX_AT_ONCE)) {
      const { title, body } = notificationText(item, viewer.name);
      const notification = new Notification(title, { body, tag: item.id });
      notification.onclick = () => {
        window.focus();
        void navigate({ to: "/p/$project/h/$id", params: { project, id: item.id } });
      };
    }
  }, [data, project, notify, leads, viewer.name, navigate]);
}
