/** Reads transfers of USDC for a set of addresses from ranges of logs, without reading all of USDC. */
import type { FoundLog } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import { COHORT_SIZE } from "../../core/income/requests.ts";
import { MIN_MOVED_UNITS } from "../../core/income/rules.ts";
import { AUTHORIZATION_USED, TRANSFER, topicOf, transfersIn } from "../../core/payments/transfers.ts";
import type { CohortKind } from "../../db/income/followed.ts";
import type { Move } from "../../db/income/moves.ts";
import { type RangeChain, readLogs } from "../chain-ranges.ts";

export type RangeOf = {
  usdc: Address;
  kind: CohortKind;
  addresses: readonly Address[];
  from: number;
  to: number;
  head: number;
};

/**
 * The transfers of a range with the hash of its last block: payments by authorization to wallets, other transfers of a cent or more
 * to payers and by sides. One request for the logs, one for the authorizations of every 500 senders, and one for a block whose time
 * does not come with its logs, or that may still be taken back.
 * @returns null where the chain was reorganised meanwhile
 * @throws Failure upstream_unavailable
 */
export async function readRange(chain: RangeChain, of: RangeOf): Promise<{ hash: string; moves: Move[] } | null> {
  const found = await readLogs(chain, of, () => logsOf(chain, of));
  return found && { hash: found.hash, moves: movesOf(found.logs, found.times, of) };
}

async function logsOf(chain: RangeChain, { usdc, kind, addresses, from, to }: RangeOf): Promise<FoundLog[]> {
  const topics = addresses.map(topicOf);
  const range = { address: usdc, fromBlock: from, toBlock: to };
  const of = kind === "side" ? [TRANSFER, topics] : [TRANSFER, null, topics];
  const transfers = (await chain.logs({ ...range, topics: of })).filter(({ block }) => block >= from && block <= to);
  if (kind !== "wallet") return transfers;
  const senders = [...new Set(transfers.flatMap((log) => (log.topics.length === 3 ? [log.topics[1]!] : [])))];
  const used: FoundLog[] = [];
  for (let at = 0; at < senders.length; at += COHORT_SIZE)
    used.push(...(await chain.logs({ ...range, topics: [AUTHORIZATION_USED, senders.slice(at, at + COHORT_SIZE)] })));
  // Senders use authorizations to pay others, too.
  const blocks = new Set(transfers.map(({ blockHash }) => blockHash));
  return [...transfers, ...used.filter(({ blockHash }) => blocks.has(blockHash))];
}

function movesOf(logs: readonly FoundLog[], times: ReadonlyMap<string, number>, of: RangeOf): Move[] {
  const { usdc, kind, addresses } = of;
  const followed = new Set<string>(addresses);
  const isOurs = (from: string, to: string) => followed.has(kind === "side" ? from : to);
  return [...Map.groupBy(logs, ({ blockHash }) => blockHash)].flatMap(([blockHash, inBlock]) => {
    const byIndex = new Map(inBlock.map((log) => [log.logIndex, log]));
    return transfersIn(inBlock, usdc).flatMap(({ logIndex, from, to, value, nonce }): Move[] => {
      const counts = kind === "wallet" ? nonce !== null : value >= MIN_MOVED_UNITS;
      const { block, txHash } = byIndex.get(logIndex)!;
      if (!counts || !isOurs(from, to)) return [];
      const place = { blockHash, logIndex, block, at: times.get(blockHash)!, txHash };
      return [{ ...place, sender: from, recipient: to, units: value, nonce: kind === "wallet" ? nonce : null }];
    });
  });
}
