import { useMemo } from "react";
import type { InboxItem } from "../../api/types";
import { announce } from "../../browser/announce";
import { useMe } from "../../session/me";
import { type Choice, snooze, type Snoozes, wake } from "./snooze";
import { stored, useStored } from "../../browser/stored";

/** The rows that the person has hidden in this browser, and how to hide and show them. */
export function useSnoozes() {
  const { project, viewer } = useMe();
  const store = useMemo(() => stored<Snoozes>(`tasuki.snoozed.${project}.${viewer.name}`, {}), [project, viewer.name]);
  const snoozes = useStored(store);
  return {
    snoozes,
    hide: (items: InboxItem[], { until, label }: Choice) => {
      store.set(snooze(store.get(), items, until, Date.now()));
      announce(`Snoozed ${items.length} until ${label}, or until a deadline is near.`);
    },
    show: (ids: string[]) => {
      store.set(wake(store.get(), ids));
      announce(`${ids.length} back in your inbox.`);
    },
  };
}
