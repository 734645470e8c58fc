/** Cred proofs: what an agent's score was in an epoch, with the path to the root that is on chain. */
import { checksum } from "../../core/addresses.ts";
import type { ReportEpoch } from "../../core/cred/report/cred-report.ts";
import { type CredLeaf, LEAF_TYPES, leafHash } from "../../core/cred/tree/leaf.ts";
import { fail } from "../../core/errors.ts";
import { txLink } from "../../core/links.ts";
import { type CredEpoch, epochByNumber, latestPublished, leafOf, proofOf } from "../../db/cred/cred-epochs.ts";
import { provingEpochs } from "../../db/cred/cred-history.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import type { HandlerDeps } from "../handler-deps.ts";

/**
 * The proof of an agent's score.
 * @param asked number of the epoch; undefined for the latest one
 * @throws Failure no_epoch, epoch_pruned, not_in_epoch
 */
export async function credProof({ db, config }: HandlerDeps, tokenId: number, asked: number | undefined) {
  const epoch = await publishedEpoch(db, asked);
  const proved = await proofOf(db, epoch.epoch, tokenId);
  if (proved === null) return refuse(db, epoch, tokenId);
  const { leaf, proof, root } = proved;
  return {
    tokenId,
    epoch: epoch.epoch,
    ...whereOf(epoch),
    registry: checksum(epoch.registry),
    root,
    leaf: shownLeaf(leaf),
    leafTypes: [...LEAF_TYPES],
    leafHash: leafHash(leaf),
    proof,
    leaves: epoch.leaves,
    block: epoch.block,
    computedAt: epoch.computedAt.toISOString(),
    transactionBlock: epoch.txBlock,
    latestEpoch: (asked === undefined ? null : await latestPublished(db))?.epoch ?? epoch.epoch,
    explorer: txLink(config.service.explorer, epoch.txHash!),
  };
}

const shownLeaf = (leaf: CredLeaf) => ({ ...leaf, registry: checksum(leaf.registry) });

/** Where the root of a published epoch is on chain. */
const whereOf = ({ chainId, contract, txHash, publishedAt }: CredEpoch) => ({
  chainId,
  contract: checksum(contract),
  transaction: txHash!,
  publishedAt: publishedAt!.toISOString(),
});

async function publishedEpoch(db: Queryable, asked: number | undefined): Promise<CredEpoch> {
  const epoch = asked === undefined ? await latestPublished(db) : await epochByNumber(db, asked);
  if (epoch?.state === "published") return epoch;
  if (asked === undefined) return fail("no_epoch", "No epoch of scores is on chain yet.");
  const state = { built: "is not on chain yet", failed: "was never published", none: "does not exist" } as const;
  const latest = await latestPublished(db);
  return fail("no_epoch", `Epoch ${asked} ${state[(epoch?.state as "built" | "failed" | undefined) ?? "none"]}.`, {
    hint: latest ? `The latest epoch is ${latest.epoch}.` : "No epoch of scores is on chain yet.",
  });
}

/** Says why there is no proof: the tree may have been removed since the epoch was read. */
async function refuse(db: Queryable, { epoch }: CredEpoch, tokenId: number): Promise<never> {
  if (!(await epochByNumber(db, epoch))?.kept)
    return fail("epoch_pruned", `The tree of epoch ${epoch} is no longer kept, so proofs of it cannot be made.`, {
      hint: "Leave epoch away for a proof of the latest one. A proof that was stored earlier is valid for all time.",
    });
  return fail("not_in_epoch", `Agent ${tokenId} had no score when epoch ${epoch} was made.`, {
    hint: "An agent is in the first epoch after its registration.",
  });
}

/** The epoch that names an agent's score on chain; undefined when the latest one does not have the agent. */
export async function reportEpoch(db: Queryable, tokenId: number): Promise<ReportEpoch | undefined> {
  const epoch = await latestPublished(db);
  const leaf = epoch && (await leafOf(db, epoch, tokenId));
  if (!leaf) return undefined;
  return { epoch: epoch.epoch, ...whereOf(epoch), root: epoch.root, score: leaf.score };
}

/**
 * The first epoch that proves a score of the past. An epoch whose tree is kept is held against the score: its snapshot may
 * have been taken while the score was being written.
 */
export async function epochOfScore(
  db: Queryable,
  tokenId: number,
  held: { score: number; at: Date; until: Date | null },
): Promise<{ epoch: number; proof: string | null } | null> {
  for (const { epoch } of await provingEpochs(db, held)) {
    const of = await epochByNumber(db, epoch);
    if (!of?.kept) return { epoch, proof: null };
    if ((await leafOf(db, of, tokenId))?.score === held.score)
      return { epoch, proof: `/api/v2/agent/${tokenId}/cred/proof?epoch=${epoch}` };
  }
  return null;
}
