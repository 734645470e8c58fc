/** Names of wallets: the agent, the human and the organization that an address is known as. */
import type { Address } from "../../core/agents/facts.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import type { WalletName } from "../../core/views/human.ts";
import { agentByOwnDoingOf } from "../agents/wallets.ts";
import { ERC8004 } from "../directory/erc8004-rows.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

const agentObject = (d: string) => `json_build_object('platform', ${d}.platform, 'agentId', ${d}.agent_id, 'tokenId',
    case when ${d}.platform = '${OWN_PLATFORM}' then ${d}.token_id end, 'name', ${d}.name, 'credScore', ${d}.cred_score)`;

/**
 * The agent here that the wallet has by its own act comes first, then one of the canonical registry that proves the wallet,
 * the best first. What only names a wallet, or was given to it, gives it no name: anybody can register an agent that names
 * it and transfer the token to it.
 */
const NAMES = statement({
  name: "wallet-names",
  params: { wallets: t.array(t.text) },
  text: `
    select json_build_object('address', w.address, 'agent', coalesce(own.agent, there.agent),
      'human', (select json_build_object('id', h.id, 'name', h.name) from offchain.human h where h.wallet = w.address),
      'organization', (select json_build_object('slug', o.slug, 'name', o.display_name) from offchain.organization o
        where o.wallet = w.address order by o.created_at, o.id limit 1)) as name
    from unnest((select $wallets::text[])) with ordinality as w(address, place)
    left join lateral (select ${agentObject("d")} as agent from offchain.directory d
      where d.platform = '${OWN_PLATFORM}' and d.token_id = ${agentByOwnDoingOf("w.address")} and d.removed_at is null limit 1) own on true
    left join lateral (select ${agentObject("d")} as agent from offchain.directory d
      where own.agent is null and d.address collate "C" = w.address and d.removed_at is null
        and d.platform = '${ERC8004}' and d.wallet_proven order by d.cred_score desc, d.id limit 1) there on true
    order by w.place`,
  columns: { name: t.json<WalletName>() },
  prepared: true,
});

/**
 * One statement.
 * @returns in the order asked for; addresses that nothing is known of are left out
 */
export async function walletNames(db: Queryable, wallets: readonly Address[]): Promise<WalletName[]> {
  const rows = await NAMES.rows(db, { wallets });
  return rows.flatMap(({ name }) => (name.agent || name.human || name.organization ? [name] : []));
}
