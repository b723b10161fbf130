import { useMemo, useState } from "react";
import type { ListItem } from "../list/item";

/**
 * The rows that the person has selected, as they were shown then: a decision about them is bound to those bytes.
 * A row that no longer waits is no longer selected.
 */
export function useSelection(shown: ListItem[], gone: Set<string>) {
  const [all, setAll] = useState<Map<string, ListItem>>(new Map());
  const items = useMemo(() => {
    const visible = new Set(shown.filter((item) => !gone.has(item.id)).map((item) => item.id));
    return [...all.values()].filter((item) => visible.has(item.id));
  }, [all, shown, gone]);
  const ids = useMemo(() => new Set(items.map((item) => item.id)), [items]);
  return {
    items,
    ids,
    toggle: (item: ListItem) =>
      setAll((old) => {
        const next = new Map(old);
        if (!next.delete(item.id)) next.set(item.id, item);
        return next;
      }),
    /** Takes rows out of the selection, or all of them. */
    clear: (only?: string[]) => setAll((old) => (only ? new Map([...old].filter(([id]) => !only.includes(id))) : new Map())),
  };
}
