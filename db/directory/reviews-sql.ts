/** SQL of what reviews in the canonical ERC-8004 reputation registry say. */
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { SCALES } from "../../core/reviews/rules.ts";
import { ERC8004 } from "./erc8004-rows.ts";

const isRegistered = (d: string) => `${d}.platform = '${ERC8004}' and ${d}.agent_id ~ '^[0-9]{1,78}$'`;

/** SQL of the registry of a row `d` as `offchain.review_figures` names it, and of its number there: null of a row without reviews. */
export const reviewedRegistry = (d: string) => `case
  when ${d}.platform = '${OWN_PLATFORM}' then '${OWN_PLATFORM}' when ${isRegistered(d)} then ${d}.registry end`;
export const reviewedNumber = (d: string) => `case when ${d}.platform = '${OWN_PLATFORM}' then ${d}.token_id::numeric
  when ${isRegistered(d)} then ${d}.agent_id::numeric end`;

/** The scales as rows of SQL: tag, best. */
export const SCALE_ROWS = Object.entries(SCALES)
  .map(([tag, best]) => `('${tag}', ${best})`)
  .join(", ");

/** An entry `f` as `Review`. */
export const REVIEW = `json_build_object(
  'client', f.client, 'index', f.feedback_index::text, 'value', f.value::text, 'decimals', f.value_decimals,
  'tag1', f.tag1, 'tag2', f.tag2, 'uri', f.feedback_uri, 'revoked', f.revoked, 'givenAt', f.given_at,
  'txHash', f.tx_hash,
  'responses', (select count(*) from onchain.erc8004_response s where s.registry = f.registry
    and s.agent_id = f.agent_id and s.client = f.client and s.feedback_index = f.feedback_index))`;
