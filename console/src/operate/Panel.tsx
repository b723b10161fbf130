import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ProblemNote } from "../components/Problem";

interface PanelProps {
  title: string;
  /** The verbs of the panel, or a remark, at the right of its heading. */
  end?: ReactNode;
  /** What the panel shows; while it is read, the panel is empty. */
  query: UseQueryResult<unknown>;
  /** Said instead of the content if there is nothing. */
  empty?: string | false | undefined;
  /** The form that is open; it does not depend on the content. */
  sheet?: ReactNode;
  children: ReactNode;
}

/** A panel of the operate pages: a heading and what was read, or why it could not be. */
export function Panel({ title, end, query, empty, sheet, children }: PanelProps) {
  return (
    <section className="pan" aria-label={title} aria-busy={query.isPending}>
      <h2>
        {title} {end && <span className="end">{end}</span>}
      </h2>
      {query.error && (
        <div className="in">
          <ProblemNote error={query.error} />
        </div>
      )}
      {query.data !== undefined && (empty ? <p className="in sec">{empty}</p> : children)}
      {sheet}
    </section>
  );
}
