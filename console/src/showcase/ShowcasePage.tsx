import { HandoffProtocol } from "tasuki-handoff-protocol";
import { changeSettings, type Settings, useSettings } from "../browser/settings";
import { useTitle } from "../browser/title";
import { Icon } from "../components/Icon";
import { Logo } from "../components/Sash";
import { ElementCard } from "./ElementCard";
import { Playground } from "./Playground";
import { type CardState, STATES } from "./states";

/** The card of the package, in every state and with a control for every prop. It needs no session. */
export function ShowcasePage() {
  useTitle("The handoff card");
  return (
    <div className="show">
      <header className="row">
        <Logo />
        <b>Tasuki</b>
        <ThemeChoice />
      </header>
      <main id="main" tabIndex={-1}>
        <h1>The handoff card</h1>
        <p className="read">
          The component <code>HandoffProtocol</code> and the element <code>&lt;tasuki-card&gt;</code> show the transfer of work between two
          agents, or an agent and a person. This page needs no session and shows nothing of the exchange.
        </p>
        <Playground />
        <h2 className="show-h">Every state</h2>
        <div className="show-grid">
          {STATES.map((state) => (
            <State key={state.id} state={state} />
          ))}
        </div>
      </main>
    </div>
  );
}

function State({ state: { id, title, note, props, isElement, isNarrow } }: { state: CardState }) {
  return (
    <section aria-labelledby={`state-${id}`} data-state={id} className={isNarrow ? "show-narrow" : ""}>
      <h3 id={`state-${id}`}>{title}</h3>
      <p className="sec">{note}</p>
      {isElement ? <ElementCard {...props} /> : <HandoffProtocol {...props} />}
    </section>
  );
}

const THEMES: Settings["theme"][] = ["system", "light", "dark"];

function ThemeChoice() {
  const { theme } = useSettings();
  return (
    <label className="fchip end">
      Theme
      <select value={theme} onChange={(event) => changeSettings({ theme: event.target.value as Settings["theme"] })}>
        {THEMES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <Icon name="down" />
    </label>
  );
}
