export const TASK_VIEWS = ["timeline", "graph", "table", "packets", "log"] as const;
export type TaskView = (typeof TASK_VIEWS)[number];

/** Reads the view of a task page from its address. */
export function readTaskView(search: Record<string, unknown>): { view?: TaskView } {
  const view = TASK_VIEWS.find((one) => one === search.view);
  return view && view !== "timeline" ? { view } : {};
}
