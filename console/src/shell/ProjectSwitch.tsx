import { Link } from "@tanstack/react-router";
import { Icon } from "../components/Icon";
import { useMe } from "../session/me";

/** The project that is open, and the others that the person is in. With one project there is nothing to choose. */
export function ProjectSwitch() {
  const { project, projects } = useMe();
  const others = projects.filter((one) => one !== project);
  if (others.length === 0) return <span className="proj">{project}</span>;
  return (
    <>
      <button type="button" className="proj" popoverTarget="projects" aria-label={`Project ${project}, choose another`}>
        {project}
        <Icon name="down" />
      </button>
      <div id="projects" popover="auto" className="pop left">
        {others.map((one) => (
          <Link key={one} to="/p/$project/inbox" params={{ project: one }} className="mi">
            {one}
          </Link>
        ))}
      </div>
    </>
  );
}
