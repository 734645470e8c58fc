/** Publishes the Merkle root of all scores: builds the tree, stores it with its transaction, removes old trees. */
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { credRootsAbi } from "../../abis/cred-roots.ts";
import type { Chain } from "../../clients/ports.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import { epochByNumber } from "../../db/cred/cred-epochs.ts";
import { epochChecked, epochsState, type NewEpoch, pruneEpochs, storeEpoch } from "../../db/cred/store-cred-epoch.ts";
import { type BuiltTree, startCredTree } from "../../db/cred/tree/start-tree.ts";
import { isCurrent, readIndexState } from "../../db/operations/index-state.ts";
import { transaction } from "../../db/sql/transaction.ts";
import type { JobContext } from "../context.ts";
import { readContracts } from "../contract-reads.ts";
import { defineJob } from "../job.ts";

/** `latest` is 0 and `root` zero before the first epoch; `publishedAt` in Unix seconds. */
type RootsState = { latest: number; root: Hex; publishedAt: number; refusal: string | null };

const READ = ["latest", "publisher", "owner", "paused"] as const;

/**
 * Reads CredRoots: the newest epoch, and whether an account may publish the next one.
 * The state of the contract at the newest block; `refusal` is the reason why `account` may not publish, as a plain
 * half-sentence. Null when there is no CredRoots at the address.
 * @throws Failure upstream_unavailable
 */
async function readCredRoots(
  chain: Pick<Chain, "call">,
  contract: Address,
  account: Address,
): Promise<RootsState | null> {
  const call = (functionName: (typeof READ)[number]) => ({
    to: contract,
    data: encodeFunctionData({ abi: credRootsAbi, functionName }),
  });
  const { answers } = await readContracts(chain, READ.map(call));
  if (answers.some((answer) => answer === null || answer === "0x")) return null;
  const [latest, publisher, owner, paused] = READ.map((functionName, i) =>
    decodeFunctionResult({ abi: credRootsAbi, functionName, data: answers[i]! }),
  ) as [bigint, Address, Address, boolean];
  const { answers: newest } = await readContracts(chain, [
    { to: contract, data: encodeFunctionData({ abi: credRootsAbi, functionName: "epochOf", args: [latest] }) },
  ]);
  if (!newest[0]) return null;
  const { root, publishedAt } = decodeFunctionResult({
    abi: credRootsAbi,
    functionName: "epochOf",
    data: newest[0],
  });
  return {
    latest: Number(latest),
    root,
    publishedAt: Number(publishedAt),
    refusal: refusalOf(account, { publisher, owner, paused }),
  };
}

/** The owner may publish while the contract is paused too. */
function refusalOf(account: Address, of: { publisher: Address; owner: Address; paused: boolean }): string | null {
  const is = (other: Address) => other.toLowerCase() === account.toLowerCase();
  if (is(of.owner)) return null;
  if (!is(of.publisher)) return `its publisher is ${of.publisher}`;
  return of.paused ? "it is paused" : null;
}

/** Max milliseconds after a refused root until the next one. */
const RETRY_MS = 300_000;

/** Unchanged scores get a new root after a day: contracts refuse a root that is older than they allow. */
const HEARTBEAT_MS = 86_400_000;

/** Points of `FAULT_POINT` in the job. */
export const ROOTS_FAULT_POINTS = ["roots.built", "roots.stored", "roots.committed"] as const;

/**
 * Check then write: numbers of epochs, the contract's newest one and the index, then `storeEpoch`; another worker may
 * store an epoch, or the contract get one: advisory lock `cred-epochs`, under which the numbers are compared again; the
 * contract refuses another root of a number.
 */
export const credRoots = defineJob({
  name: "cred-roots",
  // Runs more often than it publishes, so that a root follows soon after a start, a failure or an outage.
  schedule: { everyMs: 10_000 },
  async run(context) {
    const { db, chain, signer, clock, config } = context;
    const { address, intervalMs } = config.credRoots;
    if (!address || !signer) return 0;
    const seen = await epochsState(db);
    const sinceLast = clock().getTime() - (seen.lastBuiltAt?.getTime() ?? Number.NEGATIVE_INFINITY);
    const isFailed = seen.highestState === "failed";
    if (seen.open !== null || sinceLast < (isFailed ? Math.min(intervalMs, RETRY_MS) : intervalMs)) return 0;
    const index = await readIndexState(db);
    if (!isCurrent(index, clock())) return 0;
    const roots = await readCredRoots(chain, address, signer.address);
    if (roots === null) fail("upstream_unavailable", `There is no CredRoots at ${address}.`);
    if (roots.refusal !== null)
      fail("upstream_unavailable", `CredRoots at ${address} refuses ${signer.address}: ${roots.refusal}.`);
    return publish(context, { address, roots, seen, finalBlock: index.finalizedBlock ?? 0 });
  },
});

/**
 * Builds the tree and queues its root under the next number: above every number of this database and of the contract,
 * which is ahead where the database was restored from a copy.
 * @returns number of epochs stored
 */
async function publish(
  context: JobContext,
  at: { address: Address; roots: RootsState; seen: { highest: number | null }; finalBlock: number },
): Promise<number> {
  const { db, clock, log, fault, config } = context;
  const { address: contract, roots, seen } = at;
  const computedAt = clock();
  const known = await sameAsOnChain(context, contract, roots);
  const isDue = computedAt.getTime() - roots.publishedAt * 1_000 >= HEARTBEAT_MS;
  const of = { chainId: config.chain.id, registry: config.contracts.identity.address };
  const knownRoot = known !== null && !isDue ? roots.root : null;
  const tree = await startCredTree(db, { ...of, url: config.database.url!, knownRoot });
  fault("roots.built");
  if (tree === null) return 0;
  if (tree.root === knownRoot) {
    await epochChecked(db, { epoch: roots.latest, at: computedAt });
    return 0;
  }
  const epoch = newEpoch(tree, {
    ...of,
    contract,
    computedAt,
    builtAt: clock(),
    epoch: Math.max(roots.latest, seen.highest ?? 0) + 1,
  });
  const stored = await transaction(db, async (tx) => {
    if (!(await storeEpoch(tx, epoch, tree.parts, { data: callOf(epoch), seen }))) return false;
    await pruneEpochs(tx, { keep: config.credRoots.kept, finalBlock: at.finalBlock });
    fault("roots.stored");
    return true;
  });
  fault("roots.committed");
  if (!stored) return 0;
  const { epoch: number, root, leaves, block } = epoch;
  const { readMs, buildMs, process } = tree;
  log.info({ epoch: number, root, leaves, block, readMs, buildMs, ...process }, "the root of an epoch is queued");
  return 1;
}

/** This database's epoch that is the contract's newest, with its tree; null where the contract is ahead, or another one. */
async function sameAsOnChain({ db }: JobContext, contract: Address, { latest, root }: RootsState) {
  const epoch = latest === 0 ? null : await epochByNumber(db, latest);
  return epoch?.kept && epoch.root === root && epoch.contract === contract ? epoch : null;
}

const newEpoch = (tree: BuiltTree, of: Omit<NewEpoch, "root" | "leaves" | "block" | "buildMs">): NewEpoch => ({
  ...of,
  root: tree.root,
  leaves: tree.leaves,
  block: tree.block,
  buildMs: tree.readMs + tree.buildMs,
});

const callOf = ({ epoch, root, leaves, block }: NewEpoch) =>
  encodeFunctionData({
    abi: credRootsAbi,
    functionName: "publish",
    args: [BigInt(epoch), root, BigInt(leaves), BigInt(block)],
  });
