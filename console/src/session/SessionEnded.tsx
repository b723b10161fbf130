import { useQueryClient } from "@tanstack/react-query";
import { Sheet } from "../components/Sheet";
import { PasswordForm } from "./PasswordForm";

/** Asks the person to sign in again over the page, so that nothing they typed is lost. */
export function SessionEnded({ person }: { person: string }) {
  const client = useQueryClient();
  return (
    <Sheet title="Your session has ended">
      <p className="sec">Sign in again to go on where you were. What you typed is still there.</p>
      <PasswordForm person={person} onDone={() => void client.invalidateQueries()} />
    </Sheet>
  );
}
