/** Shortens an id to its ending: ids begin with the time, so the beginning tells little apart. */
export function shortId(id: string): string {
  const [kind, hex] = id.split("_");
  return hex ? `${kind}_${hex.slice(-6)}` : id;
}

/** Shortens a digest to its first and last digits. */
export function shortDigest(digest: string): string {
  const hex = digest.replace(/^sha256:/, "");
  return `${hex.slice(0, 4)}…${hex.slice(-4)}`;
}
