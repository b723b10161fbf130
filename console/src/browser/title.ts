import { useEffect } from "react";

/** Sets the title of the page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "Tasuki" ? title : `${title} · Tasuki`;
  }, [title]);
}
