import { changeSettings, type Settings, useSettings } from "../browser/settings";
import { useTitle } from "../browser/title";
import { AwayControl, AwayMark } from "../operate/Away";
import { NotificationSetting } from "./NotificationSetting";
import { useMe } from "../session/me";

const THEMES: [Settings["theme"], string][] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];
const TIMES: [Settings["time"], string][] = [
  ["local", "Local time, 14:02:11"],
  ["utc", "UTC, 13:02:11Z"],
  ["relative", "Relative, 12 min ago"],
];

export function SettingsPage() {
  useTitle("Settings");
  const settings = useSettings();
  const { viewer, project, parties } = useMe();
  const own = parties.find((party) => party.name === viewer.name);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="grid max-w-[640px] gap-4">
        <h1>Settings</h1>
        <Choice title="Theme" name="theme" options={THEMES} value={settings.theme} onChange={(theme) => changeSettings({ theme })} />
        <Choice title="Times" name="time" options={TIMES} value={settings.time} onChange={(time) => changeSettings({ time })} />
        <section className="pan">
          <h2>Keyboard</h2>
          <div className="in checks">
            <label>
              <input
                type="checkbox"
                className="cb"
                checked={settings.singleKeys}
                onChange={(event) => changeSettings({ singleKeys: event.target.checked })}
              />
              <span>
                Single-key shortcuts
                <span className="sec block">Off, if you use speech input or a screen reader with keys of its own.</span>
              </span>
            </label>
            <label>
              <input
                type="checkbox"
                className="cb"
                checked={settings.advance}
                onChange={(event) => changeSettings({ advance: event.target.checked })}
              />
              <span>Open the next item after a decision</span>
            </label>
          </div>
        </section>
        <NotificationSetting />
        <section className="pan">
          <h2>You</h2>
          <dl className="in dl">
            <dt>Name</dt>
            <dd>{viewer.name}</dd>
            <dt>Project</dt>
            <dd>{project}</dd>
            <dt>Roles</dt>
            <dd>{viewer.roles.join(", ") || "none"}</dd>
            <dt>Deputy</dt>
            <dd>
              {own && <AwayMark party={own} />} {own && <AwayControl party={own} />}
            </dd>
            <dt>Scopes</dt>
            <dd>{viewer.scopes.join(", ")}</dd>
          </dl>
        </section>
        <p className="mut">These settings are kept in this browser.</p>
      </div>
    </main>
  );
}

interface ChoiceProps<T extends string> {
  title: string;
  name: string;
  options: [T, string][];
  value: T;
  onChange: (value: T) => void;
}

function Choice<T extends string>({ title, name, options, value, onChange }: ChoiceProps<T>) {
  return (
    <section className="pan">
      <h2 id={`${name}-title`}>{title}</h2>
      <div className="in checks" role="radiogroup" aria-labelledby={`${name}-title`}>
        {options.map(([option, label]) => (
          <label key={option}>
            <input type="radio" className="cb" name={name} checked={value === option} onChange={() => onChange(option)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </section>
  );
}
