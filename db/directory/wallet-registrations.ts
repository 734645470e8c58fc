/** The registrations in the canonical ERC-8004 registry that belong to wallets, as the index has them. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import { statement, t } from "../sql/statement.ts";

/** Max registrations: the newest of those with a wallet, which a transfer takes away, so that gifts come after the owner's own. */
const MAX_REGISTRATIONS = 20;
/** A longer URI is cut: it is read only when it holds a file of this service, and those are shorter. */
const MAX_URI_CHARS = 70_000;

/** @param wallets the owners, lower-case, as is `registry` */
export const registrationsOf = statement({
  name: "erc8004-of-wallets",
  params: { registry: t.text, wallets: t.array(t.text) },
  text: `
    select a.agent_id::text as "agentId", a.owner, left(a.agent_uri, ${MAX_URI_CHARS}) as uri,
      a.registered_at as "registeredAt", a.registered_block as "registeredBlock", a.tx_hash as "txHash",
      a.updated_block as "updatedBlock"
    from onchain.erc8004_agent a
    where a.owner = any($wallets) and a.registry = $registry
    order by a.agent_wallet is null, a.agent_id desc limit ${MAX_REGISTRATIONS}`,
  columns: {
    agentId: t.text,
    owner: t.narrow<Address>(t.text),
    uri: t.text,
    registeredAt: t.int8,
    registeredBlock: t.int8,
    txHash: t.narrow<Hex>(t.text),
    updatedBlock: t.int8,
  },
}).rows;
