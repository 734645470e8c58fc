/** Reads the epochs of scores, and makes cred proofs from their kept trees. */
import type { Hex } from "../../core/agents/facts.ts";
import type { CredLeaf } from "../../core/cred/tree/leaf.ts";
import { leafInSlot, neededFor, placeOfSlot, proveLeaf, slotOfToken } from "../../core/cred/tree/packed.ts";
import { credEpoch } from "../schema/cred.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

const EPOCH_ROW = columnsOf(credEpoch);
/** SQL of an epoch `e`. */
const EPOCH = t.fieldsOf(EPOCH_ROW, { of: "e" });

/** One epoch; null when there is none of that number. `kept` says whether proofs can be made. */
export const epochByNumber = statement({
  name: "cred-epoch-by-number",
  given: (epoch: number) => ({ epoch }),
  params: { epoch: t.int8 },
  text: `select ${EPOCH} from offchain.cred_epoch e where e.epoch = $epoch`,
  columns: EPOCH_ROW,
  prepared: true,
}).maybeOne;
/** The newest epoch whose transaction is in a block; null before the first. */
export const latestPublished = statement({
  name: "cred-epoch-latest-published",
  text: `select ${EPOCH} from offchain.cred_epoch e where e.state = 'published' order by e.epoch desc limit 1`,
  columns: EPOCH_ROW,
  prepared: true,
}).maybeOne;

/** One published state of all scores. `contract` is the CredRoots that has its root. */
export type CredEpoch = t.RowOf<typeof EPOCH_ROW>;

const TOKENS_PART = statement({
  name: "cred-epoch-tokens-part",
  params: { epoch: t.int8, tokenId: t.int8 },
  text: `
    select bytes from offchain.cred_epoch_part
    where epoch = $epoch and kind = 'tokens' and place <= $tokenId order by place desc limit 1`,
  columns: { bytes: t.bytea },
  prepared: true,
});
const LEAVES_PARTS = statement({
  name: "cred-epoch-leaves-parts",
  params: { epoch: t.int8, places: t.array(t.int8) },
  text: `
    select place, bytes from offchain.cred_epoch_part
    where epoch = $epoch and kind = 'leaves' and place = any($places::int8[])`,
  columns: { place: t.int8, bytes: t.bytea },
  prepared: true,
});
/** Postgres reads only these parts of the stored value: hashes cannot be compressed, so it is stored as it is. */
const STORED_NODES = statement({
  name: "cred-epoch-stored-nodes",
  params: { epoch: t.int8, slots: t.array(t.int4) },
  text: `
    select s.slot, substring(p.bytes from s.slot * 32 + 1 for 32) as node
    from unnest($slots::int4[]) as s(slot)
      join offchain.cred_epoch_part p on p.epoch = $epoch and p.kind = 'nodes' and p.place = 0`,
  columns: { slot: t.int4, node: t.bytea },
  prepared: true,
});

/** The leaf of an agent in an epoch, without its proof: nothing is hashed. @returns null as `proofOf` */
export async function leafOf(db: Queryable, of: CredEpoch, tokenId: number): Promise<CredLeaf | null> {
  const slot = await slotIn(db, of, tokenId);
  if (slot === null) return null;
  const [part] = await LEAVES_PARTS.rows(db, { epoch: of.epoch, places: [placeOfSlot(slot)] });
  return part ? leafInSlot(part.bytes, slot, of) : null;
}

/** The slot of an agent's leaf; null when the tree is not kept, or does not have the agent. */
async function slotIn(db: Queryable, { epoch, kept }: CredEpoch, tokenId: number): Promise<number | null> {
  const tokens = kept ? await TOKENS_PART.maybeOne(db, { epoch, tokenId }) : null;
  return tokens && slotOfToken(tokens.bytes, tokenId);
}

/** A leaf with what proves it: `verify(proof, root, leafHash(leaf))` of OpenZeppelin's MerkleProof holds. */
export type CredProof = { leaf: CredLeaf; proof: Hex[]; root: Hex };

/**
 * The proof of an agent's score in an epoch, of any state. Reads at most five rows and hashes at most 128 leaves.
 * @returns null when the epoch does not exist, its tree is no longer kept (`epochByNumber(…).kept`), or the agent is not in it
 */
export async function proofOf(db: Queryable, epoch: number, tokenId: number): Promise<CredProof | null> {
  const of = await epochByNumber(db, epoch);
  if (!of) return null;
  const slot = await slotIn(db, of, tokenId);
  if (slot === null) return null;
  const { chunks: places, stored: slots } = neededFor(slot, of.leaves);
  const parts = await LEAVES_PARTS.rows(db, { epoch, places });
  const nodes = slots.length === 0 ? [] : await STORED_NODES.rows(db, { epoch, slots });
  // Pruned since the epoch was read.
  if (parts.length < places.length || nodes.length < slots.length) return null;
  const { chainId, registry, leaves, root } = of;
  const chunks = new Map(parts.map(({ place, bytes }) => [place, bytes]));
  const stored = new Map(nodes.map(({ slot: at, node }) => [at, node]));
  return { ...proveLeaf({ chainId, registry, leaves }, slot, chunks, stored), root };
}
