/**
 * Rows of ERC-8004 agents: what the chain says, in what it says nothing the registration file, and while that cannot be
 * had, the file as 8004scan has read it.
 */
import type pg from "pg";
import { imagePath } from "../../core/directory/embedded-image.ts";
import { blankEntry, type DirectoryEntry } from "../../core/directory/entry.ts";
import type { Registration } from "../../core/directory/foreign-registration-file.ts";
import { scan8004 } from "../../core/directory/registry-readers/scan-8004.ts";
import { ADVISORY_LOCKS } from "../sql/locks.ts";
import { type Row, statement, t } from "../sql/statement.ts";
import { type ScoreRules, upsertEntries } from "./write.ts";

export const ERC8004 = "erc8004";

/** Advisory lock of the writers of these rows: each reads what the other may change. */
const LOCK = ADVISORY_LOCKS.erc8004Rows;

/** Taken before anything is read or written for these rows; ends with the transaction. */
export const lockErc8004Rows = statement({
  name: "erc8004-rows-lock",
  text: `select pg_advisory_xact_lock(${LOCK}) as locked`,
  columns: { locked: t.pgType<string>("void") },
}).run;

const STORED = statement({
  name: "erc8004-stored",
  params: { agentIds: t.array(t.text), scan: t.text },
  text: `
    select a.registry, a.agent_id::text as "agentId", a.owner, a.agent_wallet as "agentWallet",
      a.registered_at::float8 as "registeredAt",
      f.content as registration, i.raw as scanned
    from onchain.erc8004_agent a
    left join offchain.registration_file f on f.registry = a.registry and f.agent_id = a.agent_id
    left join offchain.directory_item i on i.source = $scan and i.platform = '${ERC8004}' and i.agent_id = a.agent_id::text
    where a.agent_id = any($agentIds::text[]::numeric[])`,
  columns: {
    registry: t.text,
    agentId: t.text,
    owner: t.text,
    agentWallet: t.nullable(t.text),
    /** Unix seconds. */
    registeredAt: t.float8,
    /** The file as it was read; null when there is none, or it could not be read. */
    registration: t.nullable(t.jsonb<Registration>()),
    /** 8004scan's item, as it came. */
    scanned: t.nullable(t.jsonb<unknown>()),
  },
});

/**
 * Brings the rows of agents up to what is stored of them; those that the index does not have are left out.
 * @returns how many rows are different
 */
export async function showErc8004(
  tx: pg.ClientBase,
  agentIds: readonly string[],
  chainId: number,
  rules: ScoreRules,
): Promise<number> {
  await lockErc8004Rows(tx);
  const rows = await STORED.rows(tx, { agentIds, scan: scan8004.key });
  return upsertEntries(
    tx,
    rows.map((row) => erc8004Entry(row, chainId)),
    rules,
  );
}

function erc8004Entry({ scanned, registration, ...agent }: Row<typeof STORED>, chainId: number): DirectoryEntry {
  const tokenId = Number(agent.agentId);
  const second = registration === null && scanned !== null ? scan8004.read(scanned) : null;
  const said =
    registration ?? (second && second !== "gone" && second.entry.registry === agent.registry ? second.entry : null);
  return blankEntry({
    platform: ERC8004,
    agentId: agent.agentId,
    tokenId: Number.isSafeInteger(tokenId) ? tokenId : null,
    chainId,
    name: said?.name || `ERC-8004 agent ${agent.agentId.slice(0, 40)}`,
    address: agent.agentWallet,
    ownerAddress: agent.owner,
    registry: agent.registry,
    // The wallet registered itself or signed for it; the registry forgets it with a transfer.
    walletProven: agent.agentWallet !== null,
    description: said?.description ?? null,
    imageUrl: said?.imageUrl?.startsWith("data:") ? imagePath(agent.agentId) : (said?.imageUrl ?? null),
    services: said?.services ?? [],
    traitCount: said?.traitCount ?? 0,
    x402Supported: said?.x402Supported ?? false,
    active: said?.active ?? true,
    createdAt: new Date(agent.registeredAt * 1000).toISOString(),
  });
}
