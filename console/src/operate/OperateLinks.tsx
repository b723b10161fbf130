import { Link, useMatchRoute } from "@tanstack/react-router";
import { Icon } from "../components/Icon";
import { useMe } from "../session/me";
import { SECTIONS, useSections } from "./sections";

/** The sections in the navigation at the side. */
export function OperateLinks() {
  const { project } = useMe();
  const sections = useSections();
  return (
    <>
      <p className="nav-h" aria-hidden="true">
        Operate
      </p>
      {sections.map((section) => (
        <Link key={section} to="/p/$project/operate/$section" params={{ project, section }} activeProps={{ "aria-current": "page" }}>
          <Icon name={SECTIONS[section].icon} />
          <span>{SECTIONS[section].word}</span>
        </Link>
      ))}
    </>
  );
}

/** The way to all sections in the bar of a phone. */
export function OperateTab() {
  const { project } = useMe();
  const isCurrent = Boolean(useMatchRoute()({ to: "/p/$project/operate/$section" }));
  return (
    <Link to="/p/$project/operate/$section" params={{ project, section: "contracts" }} aria-current={isCurrent ? "page" : undefined} activeProps={{}}>
      <Icon name="contract" />
      Operate
    </Link>
  );
}
