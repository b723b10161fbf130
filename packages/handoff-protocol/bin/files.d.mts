export const FOLDER: string;

/** Returns the name and the content of each file. */
export function componentFiles(): { name: string; content: string }[];
