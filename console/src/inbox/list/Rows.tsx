import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useNow } from "../../browser/now";
import type { ListItem } from "./item";
import type { Sort } from "./order";
import { Row } from "./Row";
import { layOut, totalHeight, visible } from "./window";

const WIDE = { row: 78, tall: 78, group: 28 };
const NARROW = { row: 80, tall: 100, group: 28 };
const MORE = 8;

interface RowsProps {
  rows: ListItem[];
  gone: Set<string>;
  sort: Sort;
  current: string | undefined;
  /** The row that the keyboard moved to: it is scrolled to and focused. */
  focus: { id: string } | undefined;
  isNarrow: boolean;
  selected: Set<string>;
  onSelect: (item: ListItem) => void;
  onOpen: (id: string) => boolean;
}

/** The list, of which only the rows on the screen are in the document. */
export function Rows({ rows, gone, sort, current, focus, isNarrow, selected, onSelect, onOpen }: RowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const runway = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 900 });
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  const sizes = isNarrow ? NARROW : WIDE;
  const entries = useMemo(() => layOut(rows, sort, minute, sizes), [rows, sort, minute, sizes]);
  const shown = visible(entries, view.top, view.top + view.height, MORE);
  const offset = shown[0]?.top ?? 0;
  const height = totalHeight(entries);

  useLayoutEffect(() => {
    runway.current?.style.setProperty("--runway", `${height}px`);
    runway.current?.style.setProperty("--offset", `${offset}px`);
  }, [height, offset]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);

  useEffect(() => {
    const element = box.current;
    const target = entries.find((entry) => entry.type === "row" && entry.item.id === focus?.id);
    if (!element || !target) return;
    if (target.top < element.scrollTop) element.scrollTop = target.top - sizes.group;
    const below = target.top + target.height - element.clientHeight;
    if (below > element.scrollTop) element.scrollTop = below;
    requestAnimationFrame(() =>
      element.querySelector<HTMLElement>(`[data-id="${focus?.id}"] .l2`)?.focus({ preventScroll: true }),
    );
    // Only a new key press moves the focus, not new data.
  }, [focus]);

  return (
    <div className="rows" ref={box}>
      <div className="runway" ref={runway}>
        <div className="window" role="list">
          {shown.map((entry) =>
            entry.type === "group" ? (
              <div className="grp" key={entry.label}>
                <span>{entry.label}</span>
                <span>{entry.count.toLocaleString("en")}</span>
              </div>
            ) : (
              <Row
                key={entry.item.id}
                item={entry.item}
                position={entry.position}
                size={rows.length}
                isCurrent={entry.item.id === current}
                isGone={gone.has(entry.item.id)}
                isSelected={selected.has(entry.item.id)}
                onSelect={onSelect}
                onOpen={onOpen}
              />
            ),
          )}
        </div>
      </div>
    </div>
  );
}
