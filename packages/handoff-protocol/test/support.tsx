import type { ReactNode } from "react";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, vi } from "vitest";

declare global {
  // React asks for this before it lets tests wait for updates.
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

let roots: Root[] = [];

/** Shows something on the page and returns the element around it. */
export function show(shown: ReactNode): HTMLElement {
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  roots.push(root);
  act(() => root.render(shown));
  return place;
}

export const press = (element: Element | null | undefined) => act(() => (element as HTMLElement).click());

export const buttons = (place: ParentNode) => [...place.querySelectorAll("button")];

/** Watches what React reports: an error on the console fails the test. */
export function failOnConsoleErrors(): void {
  beforeEach(() => {
    vi.spyOn(console, "error");
  });
  afterEach(() => {
    expect(vi.mocked(console.error).mock.calls).toEqual([]);
    act(() => roots.forEach((root) => root.unmount()));
    roots = [];
    document.body.replaceChildren();
    vi.restoreAllMocks();
  });
}
