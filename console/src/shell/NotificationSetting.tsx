import { useState } from "react";
import { changeSettings, useSettings } from "../browser/settings";
import { notificationPermission } from "../live/notifications";

const REFUSED = {
  denied: "This browser blocks notifications of this site. Allow them in its site settings first.",
  unsupported: "This browser shows notifications only over HTTPS or on this machine.",
};

/** Asks the browser for permission when it is switched on, never before. */
export function NotificationSetting() {
  const { notify } = useSettings();
  const [permission, setPermission] = useState(notificationPermission);
  const isRefused = permission === "denied" || permission === "unsupported";
  const change = async (wanted: boolean) => {
    const now = wanted && permission === "default" ? await Notification.requestPermission() : permission;
    setPermission(now);
    changeSettings({ notify: wanted && now === "granted" });
  };
  return (
    <section className="pan">
      <h2>Notifications</h2>
      <div className="in checks">
        <label>
          <input
            type="checkbox"
            className="cb"
            checked={notify && permission === "granted"}
            disabled={isRefused}
            onChange={(event) => void change(event.target.checked)}
          />
          <span>
            Tell me in this browser when something new needs me
            <span className="sec block">
              {isRefused ? REFUSED[permission] : "While a tab of the console is open and not in front. Never what a gate or a classification protects."}
            </span>
          </span>
        </label>
      </div>
    </section>
  );
}
