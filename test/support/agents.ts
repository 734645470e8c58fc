/** Random agents for property tests, drawn towards the edges of every rule of the score. */
import fc from "fast-check";
import type { Address, AgentFacts, ExchangeVerification, Hex, Trait } from "../../core/agents/facts.ts";
import { NARRATIVE_FIELDS, PERSONALITY_LEVELS, PERSONALITY_TEXTS } from "../../core/agents/profile.ts";
import { DAY_SECONDS } from "../../core/signals/age.ts";
import { unixSeconds } from "../../core/times.ts";

/** An agent with what its facts alone do not tell a planter: where each trait and its exchange verification lie. */
export type RandomAgent = {
  facts: AgentFacts;
  onchainTraits: number;
  /** The attestation the agent was verified with, null without one; and whether the index has it. */
  attestation: RandomAttestation | null;
  attestationIndexed: boolean;
  /** A second one of the same wallet. */
  otherAttestation: RandomAttestation | null;
};
type RandomAttestation = Pick<ExchangeVerification, "attestationUid" | "expiresAt" | "revokedAt">;

/** Unrevoked before revoked, then the one that lasts longer, then the one the agent was verified with. */
function restsOn(first: RandomAttestation, other: RandomAttestation): RandomAttestation {
  if ((first.revokedAt !== 0) !== (other.revokedAt !== 0)) return first.revokedAt === 0 ? first : other;
  const end = ({ expiresAt }: RandomAttestation) => (expiresAt === 0 ? Number.POSITIVE_INFINITY : expiresAt);
  return end(other) > end(first) ? other : first;
}

const hex = (digits: number, n: number): Hex => `0x${n.toString(16).padStart(digits, "0")}`;
/** An address that belongs to one token only. */
export const addressOf = (tokenId: number, role = 0): Address => hex(40, tokenId * 16 + role + 1);
const iso = (ms: number) => new Date(ms).toISOString();

const text = fc.constantFrom("", "", " ", "\u00a0\t\n", "\u3000\ufeff", "\u200b", "a", "To be useful.", "'; --", "…");
const traitName = fc.constantFrom(
  ..."fast,linked-token,Linked-Token-Symbol,LINKED-TOKEN-CHAIN,linked-token-name,linked_token,lin\u212aed-token".split(
    ",",
  ),
  ..."link, linked-token,wise,kind,bold,x-verified,linked-tokens".split(","),
);

/** Facts of a token at `now`, without a stored score. */
export const randomAgent = (tokenId: number, now: Date): fc.Arbitrary<RandomAgent> => {
  const seconds = unixSeconds(now);
  const owner = addressOf(tokenId, 1);
  const near = (at: number, ...offsets: number[]) => fc.constantFrom(...offsets.map((offset) => at + offset));
  const mintedAt = fc.oneof(
    fc.integer({ min: 0, max: 22 }).chain((days) => near(seconds - days * DAY_SECONDS, -1, 0, 1)),
    fc.integer({ min: seconds - 40 * DAY_SECONDS, max: seconds + 60 }),
  );
  // On-chain writes happen at whole seconds; off-chain ones around them, to the millisecond.
  const chainWrite = seconds - 1000;
  const offchainWrite = near(chainWrite * 1000, -1000, -1, 0, 1, 999).map(iso);
  const trait = fc.record({ name: traitName, category: text });
  return fc
    .record({
      mintedAt,
      verified: fc.boolean(),
      soulbound: fc.boolean(),
      origin: fc.integer({ min: 0, max: 4 }),
      points: fc.oneof(fc.constantFrom(0, 1, 49, 50, 51, 100), fc.maxSafeNat()),
      onchainTraits: fc.array(trait, { maxLength: 10 }),
      offchainTraits: fc.uniqueArray(trait, { maxLength: 4, selector: (t) => t.name }),
      onchainPersonality: fc.option(
        fc.record({
          quirks: text,
          communicationStyle: text,
          values: text,
          humor: text,
          riskTolerance: fc.nat(10),
          autonomyLevel: fc.nat(10),
        }),
      ),
      onchainNarrative: fc.option(fc.record({ origin: text, mission: text, lore: text, manifesto: text })),
      narrativeAt: fc.subarray([...NARRATIVE_FIELDS]),
      offchainTexts: fc.uniqueArray(
        fc.record({
          field: fc.constantFrom(
            ...NARRATIVE_FIELDS.map((f) => `narrative.${f}`),
            ...PERSONALITY_TEXTS.map((f) => `personality.${f}`),
            "social.twitter",
          ),
          value: text,
          writtenAt: offchainWrite,
        }),
        { selector: (write) => write.field },
      ),
      offchainLevels: fc.uniqueArray(
        fc.record({
          field: fc.constantFrom(...PERSONALITY_LEVELS.map((f) => `personality.${f}`)),
          value: fc.oneof(fc.nat(10), fc.constant("")),
          writtenAt: offchainWrite,
        }),
        { selector: (write) => write.field },
      ),
      proofs: fc.array(fc.constantFrom("verified", "stale", "lapsed", null), { minLength: 3, maxLength: 3 }),
      exchange: fc.option(
        fc.record({
          recipient: fc.constantFrom(owner, owner, owner, addressOf(tokenId, 0)),
          expiresAt: fc.oneof(fc.constant(0), near(seconds, -86_400, -1, 0, 1, 86_400)),
          revokedAt: fc.constantFrom(0, 0, 0, seconds - 5),
        }),
        { freq: 3 },
      ),
      attestationIndexed: fc.boolean(),
      otherAttestation: fc.option(
        fc.record({
          expiresAt: fc.oneof(fc.constant(0), near(seconds, -86_400, -1, 0, 1, 86_400)),
          revokedAt: fc.constantFrom(0, 0, seconds - 5),
        }),
      ),
      ethosScore: fc.option(fc.nat(2800)),
      agentName: fc.option(fc.constant(`agent_${tokenId}`)),
      operator: fc.option(fc.constant(addressOf(tokenId, 2))),
      referred: fc.boolean(),
      updatedBlock: fc.integer({ min: 10, max: 900 }),
      listing: fc.uniqueArray(randomListed(offchainWrite), { selector: (write) => write.field }),
    })
    .map((random): RandomAgent => {
      const onchain: Trait[] = random.onchainTraits.map((t, i) => ({ ...t, addedAt: iso((chainWrite + i) * 1000) }));
      const offchain: Trait[] = random.offchainTraits
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map((t) => ({ ...t, addedAt: iso(chainWrite * 1000 + 5) }));
      const platforms = ["farcaster", "github", "x"] as const;
      // An attestation the index has not got cannot be seen to be revoked.
      const revokedAt = random.attestationIndexed ? (random.exchange?.revokedAt ?? 0) : 0;
      const first = random.exchange && {
        attestationUid: hex(64, tokenId + 7),
        expiresAt: random.exchange.expiresAt,
        revokedAt,
      };
      const other = random.otherAttestation && {
        attestationUid: hex(64, tokenId + 500_000),
        ...random.otherAttestation,
      };
      return {
        onchainTraits: onchain.length,
        attestationIndexed: random.attestationIndexed,
        attestation: first,
        otherAttestation: first && other,
        facts: {
          tokenId,
          agentAddress: addressOf(tokenId),
          walletConfirmed: random.verified,
          owner,
          operator: random.operator,
          name: `Agent ${tokenId} “ünïcode” 🤖`,
          framework: "custom",
          mintedAt: random.mintedAt,
          mintedBlock: 10,
          mintTx: hex(64, tokenId + 1),
          verified: random.verified,
          soulbound: random.soulbound,
          origin: random.origin,
          generation: 0,
          mutationCount: 0,
          version: "1.0",
          points: random.points,
          agentName: random.agentName,
          traits: [...onchain, ...offchain],
          onchainPersonality: random.onchainPersonality,
          personalityAt: random.onchainPersonality && chainWrite,
          onchainNarrative: random.onchainNarrative,
          narrativeAt: random.onchainNarrative && Object.fromEntries(random.narrativeAt.map((f) => [f, chainWrite])),
          profile: [...random.offchainTexts, ...random.offchainLevels, ...random.listing].toSorted((a, b) =>
            a.field < b.field ? -1 : 1,
          ),
          proofs: platforms.flatMap((platform, i) => {
            const status = random.proofs[i] ?? null;
            if (status === null) return [];
            const at = iso(chainWrite * 1000);
            const account = {
              accountId: `${tokenId}`,
              handle: `h${tokenId}`,
              username: i === 0 ? `u${tokenId}` : null,
            };
            return [
              { platform, ...account, status, verifiedAt: at, checkedAt: at, txHash: null, evidence: { seen: true } },
            ];
          }),
          exchange: first && {
            ...(other === null ? first : restsOn(first, other)),
            recipient: random.exchange!.recipient,
            verifiedAt: iso(chainWrite * 1000),
          },
          ethosScore: random.ethosScore,
          referralCode: random.referred ? `agent-${tokenId}` : null,
          cred: null,
          updatedBlock: random.updatedBlock,
        },
      };
    });
};

const listedWord = fc.oneof(
  fc.constantFrom("verification", "x-verified", "coinbase", "siwa", "mission", "soulbound", "personality.humor"),
  fc.string({ minLength: 1, maxLength: 12 }).filter((word) => word.isWellFormed() && !word.includes("\0")),
);
const listedWords = fc.array(listedWord, { maxLength: 4 });

/** A field that an agent lists about itself, in words that mean something elsewhere. */
export const randomListed = (writtenAt: fc.Arbitrary<string>): fc.Arbitrary<AgentFacts["profile"][number]> =>
  fc.oneof(
    fc.record({ field: fc.constantFrom("skills", "domains"), value: listedWords, writtenAt }),
    fc.record({
      field: fc.constantFrom("services", "metadata"),
      value: fc.dictionary(listedWord, fc.record({ url: listedWord, traits: listedWords, narrative: listedWord }), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
      writtenAt,
    }),
  );

/** So many random agents with token ids from 0 on, the same for the same seed. */
export const randomAgents = (count: number, now: Date, seed: number): RandomAgent[] =>
  Array.from(
    { length: count },
    (_, tokenId) => fc.sample(randomAgent(tokenId, now), { numRuns: 1, seed: seed + tokenId })[0]!,
  );
