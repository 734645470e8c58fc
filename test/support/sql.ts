/** Statements with their values where they stand: `pool.query(sql\`select … where token_id = ${tokenId}\`)`. */

/** @returns what a connection runs: the text with a parameter in place of each value */
export const sql = (parts: TemplateStringsArray, ...values: unknown[]) => ({
  text: parts.reduce((text, part, position) => `${text}$${position}${part}`),
  values,
});
