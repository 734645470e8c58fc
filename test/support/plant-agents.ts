/** Plants agents into the tables, as indexer and services would have written them: a statement per table. */
import type pg from "pg";
import { isLinkedTokenStorage } from "../../core/agents/traits.ts";
import { VERIFIED_ACCOUNT } from "../../db/agents/attestations.ts";
import { snake } from "../../harness/onchain.ts";
import type { RandomAgent } from "./agents.ts";

export async function plantAgents(pool: pg.Pool, agents: readonly RandomAgent[]): Promise<void> {
  const insert = (table: string, rows: object[]) => insertRows(pool, table, rows);
  const ofFacts = (table: string, rowsOf: (facts: RandomAgent["facts"]) => object[]) =>
    insert(
      table,
      agents.flatMap(({ facts }) => rowsOf(facts)),
    );
  await insert(
    "onchain.agent",
    agents.map(({ facts: { onchainPersonality, onchainNarrative, traits, ...facts }, onchainTraits }) => ({
      ...{ ...facts, parentId: 0, personality: onchainPersonality, narrative: onchainNarrative },
      traitCount: traits.slice(0, onchainTraits).filter((t) => !isLinkedTokenStorage(t.name)).length,
    })),
  );
  await insert(
    "onchain.trait",
    agents.flatMap(({ facts: { tokenId, mintTx, traits }, onchainTraits }) =>
      traits.slice(0, onchainTraits).map((trait, position) => ({
        ...{ ...trait, tokenId, position, addedAt: Date.parse(trait.addedAt) / 1000, txHash: mintTx },
      })),
    ),
  );
  await insert(
    "offchain.profile_trait",
    agents.flatMap(({ facts: { tokenId, traits }, onchainTraits }) =>
      traits.slice(onchainTraits).map((trait) => ({ ...trait, tokenId })),
    ),
  );
  await ofFacts("offchain.profile_field", ({ tokenId, profile }) => profile.map((field) => ({ ...field, tokenId })));
  await ofFacts("offchain.proof", ({ tokenId, proofs }) => proofs.map((proof) => ({ ...proof, tokenId })));
  const verified = agents.filter(({ facts }) => facts.exchange !== null);
  await insert(
    "offchain.exchange_verification",
    verified.map(({ facts: { tokenId, mintTx, exchange }, attestation }) => ({
      ...{ ...attestation!, tokenId, schemaUid: mintTx, verifiedAt: exchange!.verifiedAt },
      ...{ attester: exchange!.recipient, recipient: exchange!.recipient },
    })),
  );
  await insert(
    "onchain.attestation",
    verified.flatMap(({ facts: { mintTx, exchange }, attestation, attestationIndexed, otherAttestation }) =>
      [...(attestationIndexed ? [attestation!] : []), ...(otherAttestation ? [otherAttestation] : [])].map((one) => ({
        ...{ ...one, uid: one.attestationUid, schema: mintTx, txHash: mintTx, data: VERIFIED_ACCOUNT },
        ...{ attester: exchange!.recipient, recipient: exchange!.recipient, attestedAt: 0, block: 1 },
      })),
    ),
  );
  const known = new Date(0).toISOString();
  await ofFacts("offchain.ethos_score", ({ tokenId, walletConfirmed, agentAddress, owner, ethosScore }) => {
    // Some are known by the agent's own wallet, some by its owner's.
    const wallet = walletConfirmed && tokenId % 2 === 0 ? agentAddress : owner;
    return ethosScore === null ? [] : [{ wallet, score: ethosScore, fetchedAt: known, failures: 0 }];
  });
  await ofFacts("offchain.referral_code", ({ tokenId, referralCode }) =>
    referralCode === null ? [] : [{ tokenId, code: referralCode, createdAt: known }],
  );
}

/** Inserts rows given by property; columns not named are null, and what is no column of the table is left out. */
async function insertRows(pool: pg.Pool, table: string, rows: object[]): Promise<void> {
  const columns = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [snake(name), value])),
  );
  await pool.query(`insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`, [
    JSON.stringify(columns),
  ]);
}
