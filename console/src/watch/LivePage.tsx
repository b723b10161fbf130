import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Fragment, useEffect, useMemo, useRef, useState } from "react";
import { inboxQuery, useGoals } from "../api/queries";
import { useOpenHandoffs, useOverview } from "../api/watching";
import { useKeys } from "../browser/keys";
import { useSettings } from "../browser/settings";
import { useTitle } from "../browser/title";
import { Icon } from "../components/Icon";
import { ProblemNote } from "../components/Problem";
import type { Checked } from "./log/chain";
import { LeafSheet } from "./log/LeafSheet";
import { useMe } from "../session/me";
import { clock } from "../text/time";
import { type Card, cardsOf, matches, summaryLine } from "./feed";
import { FeedFilters } from "./FeedFilters";
import { LiveCard } from "./LiveCard";
import { EdgesPanel, PartiesPanel, WaitingPanel } from "./panels";
import { useFeed, useHashes } from "./useFeed";

const route = getRouteApi("/p/$project/live");
const HOURS = 24;
const SHOWN_PARTIES = 8;
const SHOWN_EDGES = 6;
/** A list that is scrolled less than this is at its top. */
const TOP = 200;

/** Handoffs as they pass by, under a glance at the team. */
export function LivePage() {
  const { project } = useMe();
  const filter = route.useSearch();
  const main = useRef<HTMLElement>(null);
  const stream = useRef<HTMLDivElement>(null);
  const isOver = useRef(false);
  const [isPaused, setPaused] = useState(false);
  const [isDense, setDense] = useState(false);
  const [opened, setOpened] = useState<number>();
  // A card that is being read or aimed at does not move.
  const flows = () =>
    !isPaused && !isOver.current && (main.current?.scrollTop ?? 0) < TOP && !stream.current?.contains(document.activeElement);
  const { feed, isLoading, error, jump } = useFeed(flows);
  const goals = useGoals(project);
  const overview = useOverview(project, HOURS);
  const open = useOpenHandoffs(project);
  const { data: inbox } = useQuery(inboxQuery(project));
  const mine = useMemo(() => new Set(inbox?.items.filter(({ waits }) => waits).map(({ id }) => id)), [inbox]);
  const hashes = useHashes(project, feed.shown.at(-1)?.n, feed.shown[0]?.n);
  useTitle("Live");
  const showNew = () => {
    jump();
    main.current?.scrollTo({ top: 0 });
  };
  useKeys({
    p: () => setPaused(!isPaused),
    l: () => {
      setPaused(false);
      showNew();
    },
  });
  const isMatch = (card: Card) => matches(card, filter);
  const cards = cardsOf(feed.shown).filter(isMatch);
  const waiting = cardsOf(feed.waiting).filter(isMatch).length;
  const broken = [...hashes.values()].find(({ status }) => status === "broken");
  const submitted = overview.data?.hours.reduce((sum, hour) => sum + hour.submitted, 0);
  return (
    <main id="main" className="page" tabIndex={-1} ref={main}>
      <div className="ph">
        <h1>Live</h1>
        {submitted !== undefined && <span className="mut">{submitted.toLocaleString("en")} handoffs in 24 h</span>}
        {hashes.size > 0 && (
          <span className={broken ? "mark no" : "mark ok"}>
            <Icon name={broken ? "warn" : "shield"} />
            {broken ? `broken at #${broken.n}` : `${hashes.size} entries recomputed in this browser`}
          </span>
        )}
        <span className="end row">
          <button type="button" className="btn sm" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            <Icon name={isPaused ? "play" : "pause"} />
            {isPaused ? "Resume" : "Pause"} <kbd>P</kbd>
          </button>
          <span className="row hide-s" role="group" aria-label="Density">
            <button type="button" className="btn sm" aria-pressed={!isDense} onClick={() => setDense(false)}>
              Cards
            </button>
            <button type="button" className="btn sm" aria-pressed={isDense} onClick={() => setDense(true)}>
              Lines
            </button>
          </span>
        </span>
      </div>
      <div className="strip">
        {open.data && <PartiesPanel handoffs={open.data.items} isPart={open.data.next !== undefined} limit={SHOWN_PARTIES} />}
        {overview.data && <EdgesPanel overview={overview.data} limit={SHOWN_EDGES} />}
        {overview.data && <WaitingPanel overview={overview.data} handoffs={open.data?.items ?? []} limit={3} />}
      </div>
      <div className="ph">
        <FeedFilters filter={filter} />
        <span className="mut hide-s end">
          <kbd>L</kbd> jump to live
        </span>
      </div>
      <Spoken feed={[...feed.waiting, ...feed.shown]} mine={mine} />
      {error && <ProblemNote error={error} />}
      <div
        className={isDense ? "stream dense" : "stream"}
        ref={stream}
        onPointerEnter={() => {
          isOver.current = true;
        }}
        onPointerLeave={() => {
          isOver.current = false;
        }}
      >
        {waiting > 0 && (
          <button type="button" className="newpill static" onClick={showNew}>
            <Icon name="up" />
            {waiting} new
          </button>
        )}
        {cards.map((card, index) => (
          <Fragment key={card.event.n}>
            <Tick at={card.event.at} before={cards[index - 1]?.event.at} />
            <LiveCard
              card={card}
              goal={goals.get(card.event.handoff ?? "")}
              leaf={leafOf(card, hashes)}
              needsMe={mine.has(card.event.handoff ?? "") && cards.findIndex(({ event }) => event.handoff === card.event.handoff) === index}
              onCheck={setOpened}
            />
          </Fragment>
        ))}
        {!isLoading && cards.length === 0 && (
          <p className="read">{feed.shown.length === 0 ? "Nothing has happened yet." : "No step matches the filters."}</p>
        )}
      </div>
      {opened !== undefined && <LeafSheet n={opened} onClose={() => setOpened(undefined)} />}
    </main>
  );
}

/** Returns the leaf of a card, or the one of its command that is broken. */
const leafOf = ({ event, events }: Card, hashes: Map<number, Checked>): Checked | undefined =>
  events.map(({ n }) => hashes.get(n)).find((leaf) => leaf?.status === "broken") ?? hashes.get(event.n);

/** A line above the first card of each minute. */
function Tick({ at, before }: { at: string; before: string | undefined }) {
  const { time } = useSettings();
  const minute = (value: string) => clock(Date.parse(value), time === "utc").slice(0, 5);
  if (before && minute(before) === minute(at)) return null;
  return <div className="tick">{minute(at)}</div>;
}

const EVERY = 5000;

/** Says what came, in one line every five seconds and not for each card. */
function Spoken({ feed, mine }: { feed: { n: number; handoff?: string }[]; mine: Set<string> }) {
  const [line, setLine] = useState("");
  const latest = useRef({ feed, mine });
  useEffect(() => {
    latest.current = { feed, mine };
  });
  useEffect(() => {
    let said: number | undefined;
    const timer = setInterval(() => {
      const { feed: now, mine: own } = latest.current;
      const fresh = said === undefined ? [] : now.filter(({ n }) => n > (said ?? 0));
      said = Math.max(said ?? -1, ...now.map(({ n }) => n));
      setLine(summaryLine(fresh.length, fresh.filter(({ handoff }) => handoff && own.has(handoff)).length));
    }, EVERY);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="sr-only" role="log">
      {line}
    </p>
  );
}
