/** Names as searches compare them, the rules in one place: SQL of a text compatibility-decomposed, without marks, lower case. Built in, so that no extension is needed. */

/** Whether a text's bytes are its characters, as those of most names are. @param text SQL of the text, here and below */
export const isAscii = (text: string) => `octet_length(${text}) = char_length(${text})`;

/** A text that has letters beyond ASCII. */
export const unmarked = (text: string) => `replace(replace(replace(translate(
    lower(regexp_replace(normalize(${text}, NFKD), '[\\u0300-\\u036f]', '', 'g') collate "und-x-icu"),
    'øłđħŧıς', 'oldhtiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe')`;

/** Any text. The column `directory.search_name` is made by it: another wording of the same rule is a migration. */
export const folded = (text: string) => `case when ${isAscii(text)} then lower(${text}) else
  ${unmarked(text)} end`;

/** Max code points of an agent's name that are searched where it has letters beyond ASCII: a contract takes any name, and PostgreSQL sorts marks in quadratic time. Names of the other tables are bounded before they are stored. */
const SEARCHED_CODE_POINTS = 128;

/** An agent's name with letters beyond ASCII, as it is searched. */
export const unmarkedName = (name: string) => unmarked(`left(${name}, ${SEARCHED_CODE_POINTS})`);

/** Any agent's name as it is searched. */
export const foldedName = (name: string) => `case when ${isAscii(name)} then lower(${name}) else
  ${unmarkedName(name)} end`;
