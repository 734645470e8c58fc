/** Lists, objects, places and members as people type them, and as the API takes them. */

/** `a, b`, or one a line → `["a", "b"]`. */
export const listOf = (text: string): string[] => text.split(/[,\n]/).flatMap((word) => word.trim() || []);

export type JsonObject = Record<string, unknown>;

/** The JSON object of a text, empty without a text; null when it is none. */
export function objectIn(text: string): JsonObject | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

/** `github: ada` a line → `{ github: "ada" }`. A URL is named by its host, anything else without a name `web`; a name that is taken gets a number. */
export function placesFrom(text: string): Record<string, string> {
  const places = new Map<string, string>();
  for (const line of text.split("\n").map((line) => line.trim())) {
    if (line === "") continue;
    const [name, place] = named(line);
    let free = name;
    for (let n = 2; places.has(free); n++) free = `${name} ${n}`;
    places.set(free, place);
  }
  return Object.fromEntries(places);
}

function named(line: string): [name: string, place: string] {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(line) && URL.canParse(line))
    return [new URL(line).hostname.replace(/^www\./, "") || "web", line];
  const at = line.indexOf(":");
  return at < 1 ? ["web", line] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

export const placesText = (places: Record<string, string>): string =>
  Object.entries(places)
    .map(([name, place]) => `${name}: ${place}`)
    .join("\n");

/** Members of an organization: token ids are numbers, wallets texts. */
export const membersOf = (text: string): (number | string)[] =>
  listOf(text).map((member) => (/^\d+$/.test(member) ? Number(member) : member));
