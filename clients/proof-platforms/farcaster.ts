/** Proofs on Farcaster: a cast of the account with the needle in its text, read through a hub or through Neynar. */
import { z } from "zod";
import { needleOf, quoteOf } from "../../core/agents/social-proofs.ts";
import type { FarcasterClaim } from "../../core/proof-platforms/farcaster.ts";
import { parseFarcasterName } from "../../core/proof-platforms/farcaster.ts";
import { withinAllowance } from "../http/on-behalf.ts";
import type { FoundProof, KnownProof, NoProof, ProofReader, SoughtProof } from "../ports.ts";

/** A cast that is not a reply. The text has a mark at each mention. */
export type Cast = { hash: string; text: string };

/** Reads Farcaster through a hub of the network or through Neynar. An account is identified by its fid; names resolve to it. */
export type FarcasterReader = {
  /** The fid that owns a name now; null when the name has no owner. */
  fidOf(name: string): Promise<number | null>;
  /** A name of a fid; null when it has none. */
  nameOf(fid: number): Promise<string | null>;
  /** The casts of a fid, newest first, page by page. */
  casts(fid: number): AsyncIterable<Cast[]>;
  /** One cast; null when it was removed. */
  cast(fid: number, hash: string): Promise<Cast | null>;
};

/** A fid is stored and indexed unchanged, so an answer with an invalid fid is refused. */
export const fid = z.int().min(1);
export const castHash = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/);
export const pageCursor = z.string().max(2_048).nullish();

/** The first valid name of a fid in a list of names; unreadable and invalid ones are skipped. */
export function nameIn(
  list: readonly unknown[],
  fid: number,
  shape: z.ZodType<{ fid: number; name: string }>,
): string | null {
  for (const each of list) {
    const { data } = shape.safeParse(each);
    const name = data?.fid === fid ? parseFarcasterName(data.name) : null;
    if (name !== null) return name;
  }
  return null;
}

/** Max pages of an account's casts to search. */
const MAX_PAGES = 3;

export function farcasterProofs(reader: FarcasterReader): ProofReader<FarcasterClaim> {
  async function find({ username, fid: claimed }: FarcasterClaim, sought: SoughtProof): Promise<FoundProof | NoProof> {
    const resolved = username === undefined ? claimed : await reader.fidOf(username);
    if (resolved === null || resolved === undefined) return noName(username ?? "");
    if (claimed !== undefined && claimed !== resolved)
      return { reason: `The Farcaster name ${username} belongs to account ${resolved}, not to ${claimed}.` };
    const needle = needleOf(sought.prefix, sought.tokenId);
    let page = 0;
    let newest: string | undefined;
    for await (const casts of reader.casts(resolved)) {
      for (const { hash, text } of casts) {
        const quote = quoteOf(text, needle);
        if (quote !== null) return found(resolved, username ?? (await reader.nameOf(resolved)), { hash, quote });
      }
      newest ??= casts[0]?.text;
      if (++page >= MAX_PAGES) break;
    }
    const reason = `No recent cast of ${username ?? `account ${resolved}`} shows ${needle}.`;
    return { reason, ...(newest !== undefined && { found: newest }) };
  }

  /** A proof is valid as long as the cast exists and, if a name was proven, the name still belongs to the account. */
  async function again(proof: KnownProof): Promise<FoundProof | NoProof> {
    const fid = Number(proof.accountId);
    const { username, evidence } = proof;
    if (evidence.id === undefined) return find(username === null ? { fid } : { username, fid }, proof);
    if (username !== null && (await reader.fidOf(username)) !== fid)
      return { reason: `The Farcaster name ${username} is not the account's any more.` };
    const cast = await reader.cast(fid, evidence.id);
    if (!cast) return { reason: "The cast was removed." };
    const quote = quoteOf(cast.text, needleOf(proof.prefix, proof.tokenId));
    if (quote === null) return { reason: "The cast shows no proof." };
    return found(fid, username, { hash: cast.hash, quote });
  }

  return withinAllowance({ find, batch: 1, recheck: (proofs) => Promise.all(proofs.map(again)) });
}

const noName = (name: string): NoProof => ({
  reason: `There is no Farcaster account named ${name}.`,
  isAbsent: true,
});

const found = (fid: number, name: string | null, { hash, quote }: { hash: string; quote: string }): FoundProof => ({
  accountId: String(fid),
  handle: name ?? String(fid),
  username: name,
  evidence: { url: `https://farcaster.xyz/~/conversations/${hash}`, id: hash, quote },
});
