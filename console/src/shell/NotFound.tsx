import { Link } from "@tanstack/react-router";
import { Welcome } from "../session/Welcome";

export function NotFound() {
  return (
    <Welcome title="Nothing is here">
      <p className="sec">No page of the console has this address. A handoff is found by its id or its words in the search.</p>
      <Link to="/" className="btn pri justify-self-start">
        Open the inbox
      </Link>
    </Welcome>
  );
}
