import { Link } from "@tanstack/react-router";
import { type FormEvent, useMemo, useState } from "react";
import { announce } from "../../browser/announce";
import { Icon } from "../../components/Icon";
import { useMe } from "../../session/me";
import type { Filter } from "../filter";
import { stored, useStored } from "../../browser/stored";
import { currentView, readViews, removeView, saveView, VIEWS_MAX, viewOf } from "./views";

/** The saved views of the inbox, in this browser. `V` opens them. */
export function ViewsMenu({ filter }: { filter: Filter }) {
  const { project } = useMe();
  const store = useMemo(() => stored<unknown>(`tasuki.views.${project}`, []), [project]);
  const raw = useStored(store);
  const views = useMemo(() => readViews(raw), [raw]);
  const [name, setName] = useState("");
  const current = currentView(views, filter);
  const save = (event: FormEvent) => {
    event.preventDefault();
    store.set(saveView(views, name, filter));
    announce(`Saved the view ${name.trim()}.`);
    setName("");
  };
  return (
    <>
      <button type="button" id="views-button" className="fchip" popoverTarget="views">
        {current?.name ?? "Views"}
        <Icon name="down" className="i still" />
      </button>
      <div id="views" popover="auto" className="pop views">
        <ul>
          {views.map((view) => (
            <li key={view.name} className="row">
              <Link to="/p/$project/inbox" params={{ project }} search={view.filter} className="mi" aria-current={view === current ? "true" : undefined} onClick={() => document.getElementById("views")?.hidePopover()}>
                {view.name}
              </Link>
              <button type="button" className="ib" aria-label={`Remove the view ${view.name}`} onClick={() => store.set(removeView(views, view.name))}>
                <Icon name="x" />
              </button>
            </li>
          ))}
          {views.length === 0 && <li className="mut px-2">No saved view yet.</li>}
        </ul>
        {views.length < VIEWS_MAX && (
          <form className="row" onSubmit={save}>
            <input className="field" aria-label="Name of this view" placeholder="Name of this view" required maxLength={40} value={name} onChange={(event) => setName(event.target.value)} />
            <button type="submit" className="btn sm">
              Save
            </button>
          </form>
        )}
        <p className="mut px-2">{Object.keys(viewOf(filter)).length === 0 ? "Without a filter: everything that needs you." : "Keeps kind, risk, sort and search."}</p>
      </div>
    </>
  );
}
