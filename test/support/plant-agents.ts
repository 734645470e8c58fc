/** Plants agents into the tables, as indexer and services would have written them: a statement per table. */
import type pg from "pg";
import { isLinkedTokenStorage } from "../../core/agents/traits.ts";
import { VERIFIED_ACCOUNT } from "../../db/agents/attestations.ts";
import type { RandomAgent } from "./agents.ts";

const seconds = (iso: string) => Date.parse(iso) / 1000;

export async function plantAgents(pool: pg.Pool, agents: readonly RandomAgent[]): Promise<void> {
  await insert(
    pool,
    "onchain.agent",
    agents.map(({ facts: f, onchainTraits }) => ({
      token_id: f.tokenId,
      agent_address: f.agentAddress,
      owner: f.owner,
      operator: f.operator,
      name: f.name,
      framework: f.framework,
      minted_at: f.mintedAt,
      minted_block: f.mintedBlock,
      mint_tx: f.mintTx,
      verified: f.verified,
      soulbound: f.soulbound,
      origin: f.origin,
      generation: f.generation,
      parent_id: 0,
      mutation_count: f.mutationCount,
      version: f.version,
      points: f.points,
      trait_count: f.traits.slice(0, onchainTraits).filter((t) => !isLinkedTokenStorage(t.name)).length,
      agent_name: f.agentName,
      personality: f.onchainPersonality,
      personality_at: f.personalityAt,
      narrative: f.onchainNarrative,
      narrative_at: f.narrativeAt,
      updated_block: f.updatedBlock,
    })),
  );
  await insert(
    pool,
    "onchain.trait",
    agents.flatMap(({ facts, onchainTraits }) =>
      facts.traits.slice(0, onchainTraits).map((trait, position) => ({
        token_id: facts.tokenId,
        position,
        name: trait.name,
        category: trait.category,
        added_at: seconds(trait.addedAt),
        tx_hash: facts.mintTx,
      })),
    ),
  );
  await insert(
    pool,
    "offchain.profile_trait",
    agents.flatMap(({ facts, onchainTraits }) =>
      facts.traits.slice(onchainTraits).map((trait) => ({
        token_id: facts.tokenId,
        name: trait.name,
        category: trait.category,
        added_at: trait.addedAt,
      })),
    ),
  );
  await insert(
    pool,
    "offchain.profile_field",
    agents.flatMap(({ facts }) =>
      facts.profile.map(({ field, value, writtenAt }) => ({
        token_id: facts.tokenId,
        field,
        value,
        written_at: writtenAt,
      })),
    ),
  );
  await insert(
    pool,
    "offchain.proof",
    agents.flatMap(({ facts }) =>
      facts.proofs.map((proof) => ({
        token_id: facts.tokenId,
        platform: proof.platform,
        account_id: proof.accountId,
        handle: proof.handle,
        username: proof.username,
        evidence: proof.evidence,
        status: proof.status,
        verified_at: proof.verifiedAt,
        checked_at: proof.checkedAt,
        tx_hash: proof.txHash,
      })),
    ),
  );
  const verified = agents.filter(({ facts }) => facts.exchange !== null);
  await insert(
    pool,
    "offchain.exchange_verification",
    verified.map(({ facts, attestation }) => ({
      token_id: facts.tokenId,
      attestation_uid: attestation!.attestationUid,
      attester: facts.exchange!.recipient,
      schema_uid: facts.mintTx,
      recipient: facts.exchange!.recipient,
      expires_at: attestation!.expiresAt,
      verified_at: facts.exchange!.verifiedAt,
    })),
  );
  await insert(
    pool,
    "onchain.attestation",
    verified.flatMap(({ facts, attestation, attestationIndexed, otherAttestation }) =>
      [...(attestationIndexed ? [attestation!] : []), ...(otherAttestation ? [otherAttestation] : [])].map(
        ({ attestationUid, expiresAt, revokedAt }) => ({
          uid: attestationUid,
          schema: facts.mintTx,
          attester: facts.exchange!.recipient,
          recipient: facts.exchange!.recipient,
          data: VERIFIED_ACCOUNT,
          attested_at: 0,
          expires_at: expiresAt,
          revoked_at: revokedAt,
          block: 1,
          tx_hash: facts.mintTx,
        }),
      ),
    ),
  );
  await insert(
    pool,
    "offchain.ethos_score",
    agents
      .filter(({ facts }) => facts.ethosScore !== null)
      .map(({ facts }) => ({
        // Some are known by the agent's own wallet, some by its owner's.
        wallet: facts.walletConfirmed && facts.tokenId % 2 === 0 ? facts.agentAddress : facts.owner,
        score: facts.ethosScore,
        fetched_at: new Date(0).toISOString(),
        failures: 0,
      })),
  );
  await insert(
    pool,
    "offchain.referral_code",
    agents
      .filter(({ facts }) => facts.referralCode !== null)
      .map(({ facts }) => ({
        token_id: facts.tokenId,
        code: facts.referralCode,
        created_at: new Date(0).toISOString(),
      })),
  );
}

/** Inserts rows given by column name; columns not named are null. */
async function insert(pool: pg.Pool, table: string, rows: object[]): Promise<void> {
  await pool.query(`insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`, [
    JSON.stringify(rows),
  ]);
}
