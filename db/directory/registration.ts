/** An agent of the canonical ERC-8004 registry as its page shows it: the registration, its file, and what clients said of it. */
import { type EmbeddedImage, embeddedImage } from "../../core/directory/embedded-image.ts";
import type { StoredRegistration } from "../../core/directory/registration-view.ts";
import { MAX_URI } from "../../core/directory/reviews.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { ERC8004 } from "./erc8004-rows.ts";
import { REVIEW } from "./reviews-sql.ts";

/** Max feedback shown, the newest first. */
const MAX_FEEDBACK = 50;

/** Max validations shown, the newest first. */
const MAX_VALIDATIONS = 20;

/**
 * @param registry lower-case
 * @returns null for an agent that the index does not have
 * @throws the driver's error; 42P01 or 3F000 while there is no index
 */
export const erc8004Registration = statement({
  name: "erc8004-registration",
  params: { registry: t.text, agentId: t.numeric },
  text: `
      select json_build_object(
        'registry', a.registry, 'agentUri', a.agent_uri, 'registeredAt', a.registered_at,
        'registeredBlock', a.registered_block, 'txHash', a.tx_hash, 'fileStatus', r.status,
        'fileFetchedAt', ${t.isoTime("r.fetched_at")},
        'errors', coalesce(r.errors, '{}'), 'warnings', coalesce(r.warnings, '{}'),
        'feedbackCount', (select count(*) from onchain.erc8004_feedback f
          where f.registry = a.registry and f.agent_id = a.agent_id and not f.revoked),
        'reviewers', (select count(distinct f.client) from onchain.erc8004_feedback f
          where f.registry = a.registry and f.agent_id = a.agent_id and not f.revoked),
        'validationCount', (select count(*) from onchain.erc8004_validation v
          where v.registry = a.registry and v.agent_id = a.agent_id),
        'validations', (
          select coalesce(json_agg(json_build_object(
            'validator', v.validator, 'requestHash', v.request_hash, 'requestUri', left(v.request_uri, ${MAX_URI}),
            'requestedAt', v.requested_at, 'txHash', v.tx_hash, 'response', v.response, 'responseUri', left(v.response_uri, ${MAX_URI}),
            'responseHash', v.response_hash, 'tag', v.tag, 'respondedAt', v.responded_at)
            order by v.requested_at desc, v.request_hash), '[]')
          from (select * from onchain.erc8004_validation v where v.registry = a.registry and v.agent_id = a.agent_id
                order by v.requested_at desc, v.request_hash limit ${MAX_VALIDATIONS}) v),
        'feedback', (
          select coalesce(json_agg(${REVIEW}
            order by f.given_at desc, f.client, f.feedback_index desc), '[]')
          from (select * from onchain.erc8004_feedback f where f.registry = a.registry and f.agent_id = a.agent_id
                order by f.given_at desc, f.client, f.feedback_index desc limit ${MAX_FEEDBACK}) f)
      ) as registration
      from onchain.erc8004_agent a
      left join offchain.registration_file r on r.registry = a.registry and r.agent_id = a.agent_id
      where a.registry = $registry and a.agent_id = $agentId::numeric`,
  columns: { registration: t.json<StoredRegistration>() },
  prepared: true,
}).value;

const IMAGE = statement({
  name: "erc8004-image",
  params: { id: t.int8 },
  text: `
    select f.content->>'imageUrl' as image from offchain.directory d
    join offchain.registration_file f on f.registry = d.registry
      and f.agent_id = case when d.platform = '${ERC8004}' then d.agent_id::numeric end
    where d.id = $id and d.removed_at is null`,
  columns: { image: t.nullable(t.text) },
});

/** The picture that the registration file of a row has in itself; null for none. */
export async function embeddedImageOf(db: Queryable, id: number): Promise<EmbeddedImage | null> {
  return embeddedImage((await IMAGE.value(db, { id })) ?? "");
}
