/** Words of the ledger and of webhooks as people read them; a word that this page does not know stays as it is. */
import { say } from "../say.tsx";

/** @param said what `say` made of the key of the word: the key itself where there is no message */
const known = (said: string, word: string): string => (said.endsWith(`.${word}`) ? word : said);

export const wordsOf = {
  state: (word: string) => known(say(`operator.state.${word as "new"}`), word),
  operation: (word: string) => known(say(`operator.operation.${word as "update"}`), word),
  method: (word: string) => known(say(`operator.method.${word as "x402"}`), word),
  disabled: (word: string) => known(say(`operator.disabled.${word as "gone"}`), word),
};
