/** Names as searches compare them. The column `directory.search_name` is made by the same rules. */

/**
 * SQL of a text compatibility-decomposed, without marks, lower case. Built in, so that no extension is needed.
 * @param text SQL of the text
 */
export const folded = (text: string) => `
  case when octet_length(${text}) = char_length(${text}) then lower(${text}) else
    replace(replace(replace(translate(
      lower(regexp_replace(normalize(${text}, NFKD), '[\\u0300-\\u036f]', '', 'g') collate "und-x-icu"),
      'øłđħŧıς', 'oldhtiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe') end`;
