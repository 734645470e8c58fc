/** The font families of the cards, in the order in which a character is looked up in them. */

/** `folder` is below assets/fonts. */
export type Family = { name: string; folder: string };

const family = (name: string): Family => ({ name, folder: name.toLowerCase().replaceAll(" ", "-") });

export const HEADLINE = family("Space Grotesk");
const BODY = family("Inter");
const OTHER_SCRIPTS = ["Arabic", "Hebrew", "Thai", "Devanagari"].map((script) => family(`Noto Sans ${script}`));
// Before the East Asian families, which also have some of the pictures.
const PICTURES = [family("Noto Emoji"), family("Noto Sans Symbols 2")];
const JAPANESE = family("Noto Sans JP");
const CHINESE = family("Noto Sans SC");
const KOREAN = family("Noto Sans KR");

export const FAMILIES: readonly Family[] = [HEADLINE, BODY, ...OTHER_SCRIPTS, ...PICTURES, JAPANESE, CHINESE, KOREAN];
/** The families every card needs. */
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
