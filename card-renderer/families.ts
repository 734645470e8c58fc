/**
 * The font families of the cards, in the order in which a character is looked up in them. They are npm packages of
 * Fontsource under the SIL Open Font License 1.1, whose text is in each package.
 */

/** A family, its package, and which files of the package cards use. */
export type Family = { name: string; package: string; files: RegExp };

/** @param files pattern of what stands between the family's name and `-normal.woff2`: subsets and weights */
function family(name: string, files: string, scope = "@fontsource"): Family {
  const slug = name.toLowerCase().replaceAll(" ", "-");
  return { name, package: `${scope}/${slug}`, files: new RegExp(`^${slug}-(${files})-normal\\.woff2$`) };
}

/** Slices of some hundred characters that draw any weight: with a file for each weight the package has over 50 MB. */
const sliced = (name: string): Family => family(name, "\\d+-wght", "@fontsource-variable");

export const HEADLINE = family("Space Grotesk", ".+-700");
const BODY = family("Inter", ".+-(500|700)");
const OTHER_SCRIPTS = ["Arabic", "Hebrew", "Thai", "Devanagari"].map((script) =>
  family(`Noto Sans ${script}`, `${script.toLowerCase()}-600`),
);
// Before the East Asian families, which also have some of the pictures.
const PICTURES = [family("Noto Emoji", "emoji-500"), family("Noto Sans Symbols 2", "(braille|math|symbols)-400")];
const JAPANESE = sliced("Noto Sans JP");
const CHINESE = sliced("Noto Sans SC");
const KOREAN = sliced("Noto Sans KR");

export const FAMILIES: readonly Family[] = [HEADLINE, BODY, ...OTHER_SCRIPTS, ...PICTURES, JAPANESE, CHINESE, KOREAN];
export const ALWAYS: readonly Family[] = [HEADLINE, BODY];

/** What `fontFamily` is in an element tree, and its own families; texts without one are `body`. */
export const ROLES = { display: [HEADLINE, BODY], body: [BODY] } as const;
export type Role = keyof typeof ROLES;

/**
 * The families for one text. The same Han character is written differently in Japan, China and Korea: a text with kana is
 * Japanese, one with Hangul Korean, one without either Chinese.
 */
export function familiesFor(role: Role, text: string): Family[] {
  const han = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
    ? [JAPANESE, CHINESE, KOREAN]
    : /\p{Script=Hangul}/u.test(text)
      ? [KOREAN, JAPANESE, CHINESE]
      : [CHINESE, JAPANESE, KOREAN];
  return [...ROLES[role], ...OTHER_SCRIPTS, ...PICTURES, ...han];
}
