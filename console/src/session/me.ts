import { createContext, use } from "react";
import type { Party } from "../api/types";
import type { Viewer } from "../handoff/verbs";

export interface Me {
  project: string;
  /** The projects that the person is in. */
  projects: string[];
  viewer: Viewer;
  parties: Party[];
}

export const MeContext = createContext<Me | undefined>(undefined);

/** The person who is signed in, and the project that is open. */
export function useMe(): Me {
  const me = use(MeContext);
  if (!me) throw new Error("a page of a project is shown without its layout");
  return me;
}
