/** Whether the own registry's rows of the directory show what was written, on chain and off. */
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { statement, t } from "../sql/statement.ts";

/** Name of the job that brings rows up to date: after a write about an agent it runs soon. */
export const OWN_ROWS_JOB = "directory-own";

/** Digest of an item whose row is older than a write off chain; it counts as a block before all others. */
const OUTDATED = "-1";

/** Whether every agent that changed at a block or later is shown as it was then, or later. */
export const showsBlock = statement({
  name: "directory-shows-block",
  params: { block: t.int8 },
  text: `
    select not exists (
      select from onchain.agent a
      left join offchain.directory_item i on i.source = '${OWN_PLATFORM}' and i.source_id = a.token_id::text
      where a.updated_block >= $block::int8 and (i.digest is null or i.digest::int8 < $block::int8)) as shown`,
  columns: { shown: t.bool },
  prepared: true,
}).onlyValue;

/** Whether score and row of an agent are as of a block that is indexed, or later. */
export const showsAgent = statement({
  name: "directory-shows-agent",
  params: { tokenId: t.int8, block: t.int8 },
  text: `
    select not exists (
      select from onchain.agent a
      left join offchain.cred c on c.token_id = a.token_id
      left join offchain.directory_item i on i.source = '${OWN_PLATFORM}' and i.source_id = a.token_id::text
      where a.token_id = $tokenId::int8 and a.updated_block >= $block::int8
        and (c.seen_block is null or c.seen_block < $block::int8 or i.digest is null or i.digest::int8 < $block::int8)
    ) as shown`,
  columns: { shown: t.bool },
  prepared: true,
}).onlyValue;

/**
 * Marks an agent's row as older than a write, in the write's own transaction and before it touches the directory: the row
 * is stale until it is made of what the write has committed.
 */
export const markOutdated = statement({
  name: "directory-own-mark-outdated",
  params: { tokenId: t.int8 },
  text: `
    update offchain.directory_item set digest = '${OUTDATED}'
    where source = '${OWN_PLATFORM}' and source_id = $tokenId::int8::text`,
  prepared: true,
}).run;

/** Whether the row of an agent shows all writes off chain; without a row, reads take the agent's facts themselves. */
export const showsWrites = statement({
  name: "directory-shows-writes",
  params: { tokenId: t.int8 },
  text: `
    select not exists (
      select from offchain.directory_item
      where source = '${OWN_PLATFORM}' and source_id = $tokenId::int8::text and digest = '${OUTDATED}') as shown`,
  columns: { shown: t.bool },
  prepared: true,
}).onlyValue;
