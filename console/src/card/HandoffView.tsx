import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError } from "../api/http";
import { handoffQuery, useContract, useHistory } from "../api/queries";
import { ProblemNote } from "../components/Problem";
import { shortId } from "../text/ids";
import { useMe } from "../session/me";
import { ChangedNote } from "./ChangedNote";
import { Decision } from "./decision/Decision";
import { Manifest } from "./Manifest";
import { Rail } from "./Rail";
import { useReading } from "./useReading";
import { useShown, versionOf } from "./useShown";

interface HandoffViewProps {
  id: string;
  /** Beside a list, or a page of its own. */
  variant: "pane" | "page";
  onDecided?: (id: string) => void;
}

/** A handoff as a card, with what may be decided about it. */
export function HandoffView({ id, variant, onDecided }: HandoffViewProps) {
  const { project } = useMe();
  const { data, error } = useQuery(handoffQuery(project, id));
  const { shown, newer, adopt } = useShown(data);
  const attention = useReading(shown ? versionOf(shown) : "");
  const { data: events = [] } = useHistory(project, shown?.handoff.id);
  const { data: contract } = useContract(project, shown?.handoff.contract);
  const { open } = attention;
  const hasPacket = shown?.packet !== undefined;
  useEffect(() => {
    if (hasPacket) open("packet");
  });

  if (!shown) {
    const isUnknown = error instanceof ApiError && error.status === 404;
    return (
      <section className="detail" aria-label={`Handoff ${shortId(id)}`}>
        <div className="scroll">
          {isUnknown ? <p className="read">There is no handoff {id} in this project.</p> : error && <ProblemNote error={error} />}
        </div>
      </section>
    );
  }
  const card = (
    <>
      {newer && <ChangedNote before={shown} after={newer} onAdopt={adopt} />}
      <Manifest shown={shown} contract={contract} events={events} attention={attention} />
    </>
  );
  const decision = (
    <Decision
      shown={newer ?? shown}
      hasChanged={newer !== undefined}
      events={events}
      attention={attention}
      variant={variant}
      onDecided={() => onDecided?.(shown.handoff.id)}
    />
  );
  if (variant === "page") {
    return (
      <div className="cols">
        <div>
          {card}
          {decision}
        </div>
        <Rail shown={shown} events={events} attention={attention} />
      </div>
    );
  }
  return (
    <section className="detail" aria-label={`Handoff ${shortId(id)}`}>
      <div className="scroll" tabIndex={0} role="region" aria-label="Card">
        <div className="beside">
          <div>{card}</div>
          <Rail shown={shown} events={events} attention={attention} />
        </div>
      </div>
      {decision}
    </section>
  );
}
