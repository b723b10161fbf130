import { Link } from "@tanstack/react-router";
import { Welcome } from "../session/Welcome";

export function NotFound() {
  return (
    <Welcome title="Nothing is here">
      <p className="sec">This address is not one of the console’s.</p>
      <Link to="/">Open the inbox</Link>
    </Welcome>
  );
}
