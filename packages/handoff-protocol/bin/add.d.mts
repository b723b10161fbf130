/** Runs the command and returns its exit code: 0 done, 1 refused, 2 wrong usage. */
export function add(args: string[], cwd: string, output: { say: (line: string) => void; complain: (line: string) => void }): number;
