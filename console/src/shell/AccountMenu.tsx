import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { signOut } from "../api/client";
import { Icon } from "../components/Icon";
import { useMe } from "../session/me";

export function AccountMenu() {
  const { project, viewer } = useMe();
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    await signOut();
    await navigate({ to: "/sign-in" });
    client.clear();
  };
  return (
    <>
      <button type="button" className="me" popoverTarget="account">
        <i aria-hidden="true">{viewer.name.slice(0, 1).toUpperCase()}</i>
        <span className="sr-only">Account of {viewer.name}</span>
        <span className="hide-s" aria-hidden="true">
          {viewer.name}
        </span>
      </button>
      <div id="account" popover="auto" className="pop">
        <p className="px-2 py-1">
          <b>{viewer.name}</b>
          <span className="mut block">{viewer.roles.join(", ") || "no roles"}</span>
        </p>
        <Link to="/p/$project/settings" params={{ project }} className="mi">
          <Icon name="gear" />
          Settings
        </Link>
        <button type="button" className="mi" onClick={() => void leave()}>
          <Icon name="back" />
          Sign out
        </button>
      </div>
    </>
  );
}
