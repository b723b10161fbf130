import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { inboxQuery } from "../../api/queries";
import { type Filter, matches } from "../filter";
import { type ListItem, mergeTasks } from "./item";
import { compare, type Frame, reconcile } from "./order";
import { useMe } from "../../session/me";

export interface InboxList extends Frame {
  /** Shows the rows that wait, and drops those that no longer do. */
  merge: () => void;
  /** How many rows wait without any filter. */
  total: number;
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
export function useInboxList(filter: Filter): InboxList {
  const { project, viewer } = useMe();
  const inbox = useQuery(inboxQuery(project));
  const order = useMemo(() => compare(filter.sort ?? "deadline"), [filter.sort]);
  const { kind, risk, q } = filter;
  const items = inbox.data?.items;
  const all = useMemo(() => mergeTasks((items ?? []).toSorted(order)), [items, order]);
  const sorted = useMemo(() => {
    const wanted = { ...(kind && { kind }), ...(risk && { risk }), ...(q && { q }) };
    return all.filter((item) => matches(item, wanted, viewer.name));
  }, [all, kind, risk, q, viewer.name]);

  // While pages are being read, every one of them is shown at once.
  const pages = inbox.data?.isWhole === false ? items?.length : "all";
  const key = JSON.stringify([project, kind, risk, q, filter.sort, inbox.isPending, pages]);
  const [base, setBase] = useState<Base>({ key, rows: sorted });
  const isOther = base.key !== key || (base.rows.length === 0 && sorted.length > 0);
  if (isOther) setBase({ key, rows: sorted });
  const rows = isOther ? sorted : base.rows;
  const frame = useMemo(() => reconcile(rows, sorted, order), [rows, sorted, order]);
  return {
    ...frame,
    merge: () => setBase({ key, rows: sorted }),
    total: all.length,
    asOf: inbox.data?.asOf,
    asOfN: inbox.data?.asOfN,
    isLoading: inbox.isPending,
    error: inbox.error,
  };
}
