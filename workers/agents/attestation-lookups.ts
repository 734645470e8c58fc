/** Looks up the exchange attestations that are older than the index: of the owners of the directory's rows, and of humans. */
import { createHash } from "node:crypto";
import { attestationCall, attestationOf, uidCall, uidOf } from "../../core/agents/exchange-attestation.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { Failure } from "../../core/errors.ts";
import { type Lookup, noteFailedLookups, storeLookups, walletsToLookUp } from "../../db/agents/attestation-lookups.ts";
import { VERIFIED_ACCOUNT } from "../../db/agents/attestations.ts";
import type { JobContext } from "../context.ts";
import { type ContractRead, readContracts } from "../contract-reads.ts";
import { defineJob } from "../job.ts";

/** Max wallets per run, and per call to the chain; the next run does the rest. */
const WALLETS_PER_RUN = 2_000;
const WALLETS_PER_CALL = 100;
/** Between two look-ups of one wallet: a day. */
const RECHECK_MS = 86_400_000;

/**
 * Resumes: half at wallets that never had an answer, half at those that are longest without one; failed ones are asked
 * last.
 * One item: a wallet without a usable answer stays due and comes last; a batch in which the node fails stores
 * nothing and ends the run.
 */
export const attestationLookups = defineJob({
  name: "attestation-lookups",
  schedule: { everyMs: 60_000 },
  async run(context) {
    const { db, chain, clock, config } = context;
    const { attestationIndexer, eas } = config.contracts;
    const schema = config.attestationSchemas[0]!;
    const configuration = fingerprintOf(config);
    const before = new Date(clock().getTime() - RECHECK_MS);
    const due = await walletsToLookUp(db, { before, configuration, limit: WALLETS_PER_RUN });
    // Other chains than the exchange's have no such contract.
    if (due.length === 0 || !(await chain.isDeployed(attestationIndexer.address))) return 0;
    const first = await chain.block(eas.startBlock);
    if (first === null) return behind(eas.startBlock);
    let changed = 0;
    for (let from = 0; from < due.length; from += WALLETS_PER_CALL) {
      const wallets = due.slice(from, from + WALLETS_PER_CALL);
      const now = clock();
      let lookups: Map<Address, Lookup>;
      try {
        lookups = await lookUp(context, wallets, first.timestamp);
      } catch (error) {
        await noteFailedLookups(db, { wallets, now });
        throw error;
      }
      changed += await storeLookups(db, [...lookups.values()], { schema, configuration, now });
      await noteFailedLookups(db, { wallets: wallets.filter((wallet) => !lookups.has(wallet)), now });
    }
    return changed;
  },
});

/** Hash of everything in the configuration that a look-up depends on. */
function fingerprintOf({ contracts, attesters, attestationSchemas }: JobContext["config"]): string {
  const { attestationIndexer, eas } = contracts;
  const parts = [attestationIndexer.address, eas.address, eas.startBlock, attestationSchemas[0], [...attesters].sort()];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/**
 * Asks the chain about wallets. The exchange's indexer names the newest attestation of each, EAS has its contents.
 * @param firstTimestamp of the first indexed block, Unix seconds; a younger attestation is the index's to judge
 * @returns by wallet; a wallet without a usable answer is left out
 * @throws Failure upstream_unavailable, also when the node that answered is behind the first indexed block
 */
async function lookUp(
  { chain, config }: JobContext,
  wallets: readonly Address[],
  firstTimestamp: number,
): Promise<Map<Address, Lookup>> {
  const { attestationIndexer, eas } = config.contracts;
  const schema = config.attestationSchemas[0]!;
  const read = async (reads: ContractRead[]) => {
    const { answers, at } = await readContracts(chain, reads);
    // Such a node does not know all of the attestations that are looked for: its "none" means nothing.
    if (at !== null && at < firstTimestamp) behind(eas.startBlock);
    return answers;
  };
  const named = await read(
    wallets.map((wallet) => ({ to: attestationIndexer.address, data: uidCall(wallet, schema) })),
  );
  const results = new Map<Address, Lookup>();
  const lookups: { wallet: Address; uid: Hex }[] = [];
  for (const [i, wallet] of wallets.entries()) {
    const answer = named[i];
    const uid = answer ? uidOf(answer) : undefined;
    if (uid === null) results.set(wallet, { wallet, attestation: null });
    else if (uid !== undefined) lookups.push({ wallet, uid });
  }
  const contents = await read(lookups.map(({ uid }) => ({ to: eas.address, data: attestationCall(uid) })));
  for (const [i, { wallet, uid }] of lookups.entries()) {
    const answer = contents[i];
    const attestation = answer ? attestationOf(answer) : undefined;
    if (attestation === undefined) continue;
    const valid =
      attestation !== null &&
      attestation.uid === uid &&
      attestation.recipient === wallet &&
      attestation.schema === schema &&
      config.attesters.includes(attestation.attester) &&
      attestation.data === VERIFIED_ACCOUNT &&
      attestation.revokedAt === 0 &&
      attestation.attestedAt < firstTimestamp;
    results.set(wallet, { wallet, attestation: valid ? attestation : null });
  }
  return results;
}

function behind(block: number): never {
  throw new Failure("upstream_unavailable", `The node does not have block ${block}, the first indexed one, yet.`);
}
