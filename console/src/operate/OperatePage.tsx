import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { useParties } from "../api/queries";
import { useTitle } from "../browser/title";
import { useMe } from "../session/me";
import { NotFound } from "../shell/NotFound";
import { HaltControl, HaltedNote } from "./HaltControl";
import { ContractsSection } from "./sections/ContractsSection";
import { DeadSection } from "./sections/DeadSection";
import { DoctorMark, DoctorSection } from "./sections/DoctorSection";
import { GatesSection } from "./sections/GatesSection";
import { PartiesSection } from "./sections/PartiesSection";
import { SubscriptionsSection } from "./sections/SubscriptionsSection";
import { TokensSection } from "./sections/TokensSection";
import { isSection, type Section, SECTIONS, useSections } from "./sections";
import { useContracts, useDead, useGates, useIsOperator, useSubscriptions, useTokens } from "./useOperate";

const route = getRouteApi("/p/$project/operate/$section");

const PAGES: Record<Section, () => ReactNode> = {
  contracts: ContractsSection,
  gates: GatesSection,
  parties: PartiesSection,
  tokens: TokensSection,
  subscriptions: SubscriptionsSection,
  dead: DeadSection,
  doctor: DoctorSection,
};

/** What operators look after. People who are not operators read what they may, without the verbs. */
export function OperatePage() {
  const { section } = route.useParams();
  const sections = useSections();
  if (!isSection(section) || !sections.includes(section)) return <NotFound />;
  return <Opened section={section} sections={sections} />;
}

function Opened({ section, sections }: { section: Section; sections: Section[] }) {
  const { project } = useMe();
  const counts = useCounts();
  const isOperator = useIsOperator();
  useTitle(`${SECTIONS[section].word} · ${project}`);
  const Page = PAGES[section];
  // On a phone the tabs scroll sideways.
  // Newer browsers return a promise from scrolling, which must not become the cleanup of the effect.
  useEffect(() => {
    document.querySelector(".operate > .tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [section]);
  return (
    <main id="main" className="page operate" tabIndex={-1}>
      <div className="ph">
        <h1>Operate</h1>
        <span className="mut">project {project}</span>
        <span className="end row">{isOperator && (
            <>
              <DoctorMark />
              <HaltControl />
            </>
          )}</span>
      </div>
      <nav className="tabs" aria-label="Operate">
        {sections.map((one) => (
          <Link key={one} to="/p/$project/operate/$section" params={{ project, section: one }} aria-current={one === section ? "page" : undefined} activeProps={{}}>
            {SECTIONS[one].word}
            {counts[one] !== undefined && <span>{counts[one].toLocaleString("en")}</span>}
          </Link>
        ))}
      </nav>
      <div className="stack">
        <HaltedNote />
        <Page />
      </div>
    </main>
  );
}

function useCounts(): Partial<Record<Section, number | undefined>> {
  const { project } = useMe();
  const isOperator = useIsOperator();
  const dead = useDead().data;
  return {
    contracts: useContracts().data?.length,
    gates: useGates().data?.length,
    parties: useParties(project).data?.length,
    tokens: useTokens(isOperator).data?.filter((token) => !token.revoked_at).length,
    subscriptions: useSubscriptions().data?.length,
    dead: dead?.items.length,
  };
}
