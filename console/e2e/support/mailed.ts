// Codes that the exchange mails to people.
import type { World } from "./world";

/** Allows the project to mail codes. */
export async function codesAreMailed(world: World): Promise<void> {
  const { page, context } = await world.person("ana");
  const status = await page.evaluate(async () => {
    const headers = { "Content-Type": "application/json", "Tasuki-Project": "default" };
    const response = await fetch("/v1/project", { method: "PATCH", headers, body: JSON.stringify({ mails_codes: true }) });
    return response.status;
  });
  if (status !== 200) throw new Error(`codes are not mailed: ${status}`);
  await context.close();
}

/** Returns the links of a mail as paths, and the code in one of them. */
export function linksOf(text: string): { links: string[]; code: string } {
  const links = text.split(/\s+/).filter((word) => /^https?:/.test(word));
  const code = links.map((link) => /\/ui\/m\/#(\w+)$/.exec(link)?.[1]).find((found) => found !== undefined);
  if (code === undefined) throw new Error(`a mail without a code: ${text}`);
  return { links: links.map((link) => link.replace(/^https?:\/\/[^/]+/, "")), code };
}
