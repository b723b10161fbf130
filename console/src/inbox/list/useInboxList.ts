import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { inboxQuery } from "../../api/queries";
import { useNow } from "../../browser/now";
import { type Filter, matches } from "../filter";
import { isSnoozed, type Snoozes } from "../snooze/snooze";
import { type ListItem, mergeTasks } from "./item";
import { compare, type Frame, reconcile } from "./order";
import { useMe } from "../../session/me";

export interface InboxList extends Frame {
  /** Shows the rows that wait, and drops those that no longer do. */
  merge: () => void;
  /** How many rows of this view wait without any filter. */
  total: number;
  /** How many rows the person has hidden. */
  snoozed: number;
  asOf: string | undefined;
  asOfN: number | undefined;
  isLoading: boolean;
  error: Error | null;
}

interface Base {
  key: string;
  rows: ListItem[];
}

/** The rows of the inbox by a filter, in an order that does not change under the reader. */
export function useInboxList(filter: Filter, snoozes: Snoozes): InboxList {
  const { project, viewer } = useMe();
  const inbox = useQuery(inboxQuery(project));
  const order = useMemo(() => compare(filter.sort ?? "deadline"), [filter.sort]);
  const { kind, risk, q } = filter;
  const items = inbox.data?.items;
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  const isHidden = useMemo(() => {
    const now = Math.max(minute, Date.now());
    return new Set((items ?? []).filter((item) => isSnoozed(item, snoozes, now)).map((item) => item.id));
  }, [items, snoozes, minute]);
  const wantsHidden = filter.view === "snoozed";
  const all = useMemo(() => {
    const wanted = (items ?? []).filter((item) => isHidden.has(item.id) === wantsHidden);
    return mergeTasks(wanted.toSorted(order));
  }, [items, order, isHidden, wantsHidden]);
  const sorted = useMemo(() => {
    const wanted = { ...(kind && { kind }), ...(risk && { risk }), ...(q && { q }) };
    return all.filter((item) => matches(item, wanted, viewer.name));
  }, [all, kind, risk, q, viewer.name]);

  // While pages are being read, every one of them is shown at once.
  const pages = inbox.data?.isWhole === false ? items?.length : "all";
  const hidden = [...isHidden].toSorted().join();
  const key = JSON.stringify([project, kind, risk, q, filter.sort, inbox.isPending, pages, wantsHidden, hidden]);
  const [base, setBase] = useState<Base>({ key, rows: sorted });
  const isOther = base.key !== key || (base.rows.length === 0 && sorted.length > 0);
  if (isOther) setBase({ key, rows: sorted });
  const rows = isOther ? sorted : base.rows;
  const frame = useMemo(() => reconcile(rows, sorted, order), [rows, sorted, order]);
  return {
    ...frame,
    merge: () => setBase({ key, rows: sorted }),
    total: all.length,
    snoozed: isHidden.size,
    asOf: inbox.data?.asOf,
    asOfN: inbox.data?.asOfN,
    isLoading: inbox.isPending,
    error: inbox.error,
  };
}
