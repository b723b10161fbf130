import { Icon } from "../components/Icon";
import { useAnnouncement } from "../browser/announce";

/** The one place where decisions are confirmed. */
export function Announcer() {
  const message = useAnnouncement();
  return (
    <div className="toast" role="status">
      {message && (
        <p>
          <Icon name="done" />
          {message}
        </p>
      )}
    </div>
  );
}
