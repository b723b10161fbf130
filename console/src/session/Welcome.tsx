import type { ReactNode } from "react";
import { Logo } from "../components/Sash";
import { useTitle } from "../browser/title";

/** The frame of the pages before an exchange is open. */
export function Welcome({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <main className="welcome">
      <div className="row text-[20px] font-semibold">
        <Logo /> Tasuki
      </div>
      <div className="panel">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
