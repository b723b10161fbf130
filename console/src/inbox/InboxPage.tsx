import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { HandoffView } from "../card/HandoffView";
import { Icon } from "../components/Icon";
import { isFiltered } from "./filter";
import { useKeys } from "../browser/keys";
import { useNarrow } from "../browser/media";
import { useReachable } from "../browser/reachable";
import { useSettings } from "../browser/settings";
import { useTitle } from "../browser/title";
import { useMe } from "../session/me";
import { DoneList } from "./DoneList";
import { EmptyState, Unanswered } from "./EmptyState";
import { Filters } from "./Filters";
import { Rows } from "./list/Rows";
import type { ListItem } from "./list/item";
import { useInboxList } from "./list/useInboxList";
import { SelectionBar } from "./bulk/SelectionBar";
import { SnoozeSheet } from "./snooze/SnoozeSheet";
import { useSelection } from "./bulk/useSelection";
import { useSnoozes } from "./snooze/useSnoozes";

const route = getRouteApi("/p/$project/inbox");

/** The inbox: the list of handoffs that need the person, and beside it the card that is open. */
export function InboxPage() {
  const filter = route.useSearch();
  const { project } = useMe();
  const { snoozes, hide, show } = useSnoozes();
  const list = useInboxList(filter, snoozes);
  const isNarrow = useNarrow();
  const navigate = route.useNavigate();
  const anywhere = useNavigate();
  const isReachable = useReachable();
  const { advance } = useSettings();
  const [focus, setFocus] = useState<{ id: string }>();
  const isDone = filter.view === "done";
  const isSnoozedView = filter.view === "snoozed";
  const selection = useSelection(list.shown, list.gone);
  const [snoozing, setSnoozing] = useState<ListItem[]>();
  const waiting = list.total.toLocaleString("en");
  useTitle(list.total > 0 ? `(${waiting}) Inbox · ${project}` : `Inbox · ${project}`);

  const ids = isDone ? [] : list.shown.map((handoff) => handoff.id);
  const current = isNarrow || isDone ? filter.h : (filter.h ?? ids[0]);
  const select = (id: string) => void navigate({ search: (old) => ({ ...old, h: id }), replace: true });
  const openBeside = (id: string) => {
    if (!isNarrow) select(id);
    return !isNarrow;
  };
  const page = (id: string) => void anywhere({ to: "/p/$project/h/$id", params: { project, id } });
  const move = (step: number) => {
    const at = current ? ids.indexOf(current) : -1;
    const next = ids[Math.min(Math.max(at + step, 0), ids.length - 1)];
    if (!next) return;
    select(next);
    setFocus({ id: next });
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: (event) => isOutsideCard(event) && move(1),
    ArrowUp: (event) => isOutsideCard(event) && move(-1),
    o: () => current && page(current),
    Enter: (event) => isOnRow(event) && current && page(current),
    x: () => {
      const item = list.shown.find((one) => one.id === current);
      if (item && !list.gone.has(item.id)) selection.toggle(item);
    },
    h: () => {
      const items = selection.items.length > 0 ? selection.items : list.shown.filter((one) => one.id === current);
      if (items.length === 0 || isDone) return;
      if (isSnoozedView) bringBack(items);
      else setSnoozing(items);
    },
    v: () => document.getElementById("views")?.showPopover(),
    f: () => document.querySelector<HTMLElement>(".list .bar select")?.focus(),
    Escape: () => selection.clear(),
    L: list.merge,
    l: list.merge,
  });
  const decided = (id: string) => {
    if (!advance) return;
    const rest = ids.slice(ids.indexOf(id) + 1).concat(ids.slice(0, Math.max(0, ids.indexOf(id))));
    const next = rest.find((one) => !list.gone.has(one));
    if (!next) return;
    select(next);
    setFocus({ id: next });
  };

  const bringBack = (items: ListItem[]) => {
    show(items.map((item) => item.id));
    selection.clear();
  };
  const isEmpty = !isDone && list.shown.length === 0 && !list.isLoading;
  return (
    <main id="main" className={`split ${isEmpty ? "empty-s" : ""}`} tabIndex={-1}>
      <h1 className="sr-only">Inbox</h1>
      <section className={`list ${!isReachable ? "stale" : ""}`} aria-label="Handoffs that need you">
        <Filters filter={filter} total={list.asOf === undefined ? undefined : list.total} snoozed={list.snoozed} />
        {isDone ? (
          <DoneList current={filter.h} onOpen={openBeside} />
        ) : isEmpty && !list.error && !isFiltered(filter) ? (
          <DoneList max={5} onOpen={() => false} />
        ) : list.isLoading && !list.error ? (
          <Loading />
        ) : (
          <>
            {list.error && list.shown.length > 0 && <Unanswered asOf={list.asOf} />}
            <Rows
              rows={list.shown}
              gone={list.gone}
              sort={filter.sort ?? "deadline"}
              current={current}
              focus={focus}
              isNarrow={isNarrow}
              selected={selection.ids}
              onSelect={selection.toggle}
              onOpen={openBeside}
            />
          </>
        )}
        {!isDone && <Pill fresh={list.fresh} gone={list.gone.size} onClick={list.merge} />}
        {!isDone && (
          <SelectionBar
            selected={selection.items}
            isSnoozedView={isSnoozedView}
            onSnooze={() => setSnoozing(selection.items)}
            onWake={() => bringBack(selection.items)}
            onClear={selection.clear}
          />
        )}
        {snoozing && (
          <SnoozeSheet
            items={snoozing}
            onChoose={(choice) => {
              hide(snoozing, choice);
              setSnoozing(undefined);
              selection.clear();
            }}
            onClose={() => setSnoozing(undefined)}
          />
        )}
        <div className="keys">
          <span>
            <kbd>J</kbd>
            <kbd>K</kbd> move
          </span>
          <span>
            <kbd>A</kbd> accept
          </span>
          <span>
            <kbd>R</kbd> reject
          </span>
          <span>
            <kbd>X</kbd> select
          </span>
          <span>
            <kbd>H</kbd> snooze
          </span>
          <span className="end">
            <kbd>?</kbd> all keys
          </span>
        </div>
      </section>
      {isEmpty ? (
        <section className="detail" aria-label="Inbox state">
          <EmptyState list={list} isFiltered={isFiltered(filter)} />
        </section>
      ) : current && !isNarrow ? (
        <HandoffView key={current} id={current} variant="pane" onDecided={decided} />
      ) : (
        <section className="detail" aria-label="Handoff">
          {isDone && <p className="empty sec">Choose a decision to see its card.</p>}
        </section>
      )}
    </main>
  );
}

const closest = (event: KeyboardEvent, selector: string) =>
  event.target instanceof Element && event.target.closest(selector) !== null;

/** A card scrolls by itself when the focus is in it. */
const isOutsideCard = (event: KeyboardEvent) => !closest(event, ".detail");

/** Enter presses the button or follows the link that has the focus, unless that is a row. */
const isOnRow = (event: KeyboardEvent) => closest(event, ".item") || !closest(event, "a, button, summary, [tabindex]");

/** Offers the rows that wait, so that the list does not move under the pointer. */
function Pill({ fresh, gone, onClick }: { fresh: number; gone: number; onClick: () => void }) {
  const words = [fresh > 0 && `${fresh} new`, gone > 0 && `${gone} decided`].filter(Boolean).join(", ");
  return (
    <div role="status">
      {fresh > 0 ? (
        <button type="button" className="newpill" onClick={onClick}>
          <Icon name="up" />
          {words}
        </button>
      ) : (
        gone > 0 && (
          <div className="border-t border-line bg-inset flex items-center gap-2 px-3 py-1.5 text-[12px]">
            <span className="mut">{words}</span>
            <button type="button" className="btn sm ghost end" onClick={onClick}>
              Clear <kbd>L</kbd>
            </button>
          </div>
        )
      )}
    </div>
  );
}

function Loading() {
  return (
    <div className="rows" aria-busy="true" aria-label="Loading">
      {[0, 1, 2, 3, 4, 5].map((row) => (
        <div className="ghost-row" key={row}>
          <i />
          <i />
          <i />
        </div>
      ))}
    </div>
  );
}
