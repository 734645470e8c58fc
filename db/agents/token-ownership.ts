/** Whether a wallet still owns the token it has shown, by the index: a reorganisation of a transfer restores what the transfer ended. */
import type { Address } from "../../core/agents/facts.ts";
import { statement, t } from "../sql/statement.ts";

/**
 * SQL of how often a token was transferred, its mint included. A transfer away and back counts twice, so what was tied to
 * the number before it stays undone; when a reorganisation takes the transfer back, the number is the old one again.
 * @param identity SQL of the identity contract's address
 */
export const transferCount = (tokenId: string, identity: string) =>
  `(select count(*) from onchain.transfer x where x.contract = ${identity} and x.token_id = ${tokenId}::numeric)`;

/** SQL condition that the wallet of a row (`token_id`, `token_transfers`, `wallet`) has held its token all along. */
export const holdsToken = (row: string, identity: string) => `
  exists (select from onchain.agent held where held.token_id = ${row}.token_id and held.owner = ${row}.wallet
          and ${row}.token_transfers = ${transferCount(`${row}.token_id`, identity)})`;

/** The owner of a token and its number of transfers; null when there is no such token. */
export const holdingOf = statement({
  name: "principals-holding",
  params: { tokenId: t.int8, identity: t.text },
  text: `
    select a.owner, ${transferCount("a.token_id", "$identity")} as transfers from onchain.agent a
    where a.token_id = $tokenId`,
  columns: { owner: t.narrow<Address>(t.text), transfers: t.int8 },
  prepared: true,
}).maybeOne;

/** The token ids without an agent. */
export const unknownTokens = statement({
  name: "principals-unknown-tokens",
  params: { tokenIds: t.array(t.int8) },
  unlessEmpty: "tokenIds",
  text: `
    select token_id from unnest($tokenIds::int8[]) as asked(token_id)
    where not exists (select from onchain.agent a where a.token_id = asked.token_id)`,
  columns: { token_id: t.int8 },
  prepared: true,
}).values;
