// The saved views of an inbox: filters under a name, in this browser.

import { type Filter, readFilter } from "../filter";

export interface SavedView {
  name: string;
  filter: Filter;
}

/** LIMIT: the number of views that a list shows without becoming a search. */
export const VIEWS_MAX = 20;

/** Returns what of a filter a view keeps: the handoff that is open is not part of it. */
export function viewOf({ h: _, ...filter }: Filter): Filter {
  return filter;
}

/** Saves a view under a name, in the place of one with the same name. */
export function saveView(views: SavedView[], name: string, filter: Filter): SavedView[] {
  const saved = { name: name.trim(), filter: viewOf(filter) };
  if (!saved.name) return views;
  const at = views.findIndex((view) => view.name === saved.name);
  if (at >= 0) return views.with(at, saved);
  return views.length < VIEWS_MAX ? [...views, saved] : views;
}

export const removeView = (views: SavedView[], name: string): SavedView[] => views.filter((view) => view.name !== name);

/** Reads views; what is none, or names an unknown filter, is left out. */
export function readViews(value: unknown): SavedView[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown) => {
    const { name, filter } = (one ?? {}) as { name?: unknown; filter?: unknown };
    if (typeof name !== "string" || !name || typeof filter !== "object" || filter === null) return [];
    return [{ name, filter: viewOf(readFilter(filter as Record<string, unknown>)) }];
  });
}

/** Returns the view whose filter this is. */
export function currentView(views: SavedView[], filter: Filter): SavedView | undefined {
  const text = (one: Filter) => JSON.stringify(Object.entries(viewOf(one)).toSorted());
  return views.find((view) => text(view.filter) === text(filter));
}
