/** What answers say beside proofs: which were made under an earlier owner, and which attestation or identity serves many agents. */
import { beforeEach, expect, it } from "vitest";
import type { Caveat } from "../../core/views/fields.ts";
import { recomputeCred } from "../../db/cred/cred.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { plantDirectory } from "../support/directory.ts";
import { plantDocuments } from "../support/discovery.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile } from "./support/api.ts";
import { plantAttestation, plantAward, plantProof, plantTransfer, SCHEMA } from "./support/plants.ts";
import { lower, newWallet } from "./support/wallets.ts";

const wallet = newWallet();
const OWN = lower(wallet);
const [ALICE, BOB] = [`0x${"a1".repeat(20)}`, `0x${"b0".repeat(20)}`] as const;
const ZERO = `0x${"0".repeat(40)}`;
const [MINTED, SOLD] = [1_790_000_000, 1_790_100_000];
const PROVED = "2026-09-21T20:00:00.000Z";

const api = apiForFile({ env: { RECEIPT_SIGNER_PRIVATE_KEY: `0x${"7".repeat(64)}` } });
beforeEach(async () => {
  await api.sql(`truncate offchain.proof, offchain.proof_ownership, offchain.wallet_verification, offchain.exchange_verification, offchain.cred,
       offchain.cred_history, offchain.directory, offchain.directory_item cascade;
     truncate onchain.agent, onchain.transfer, onchain.attestation, onchain.points_award`);
});

const transfer = (tokenId: number, from: string, to: string, at: number) =>
  plantTransfer(api.pool, tokenId, [from, to], at, { block: at - MINTED + 900 });
/** Agent 7, verified and with an account on X, both by its first owner. */
async function sold(): Promise<void> {
  await plantAgents(api.pool, [{ tokenId: 7, owner: BOB, agentAddress: OWN, verified: true }]);
  await transfer(7, ZERO, ALICE, MINTED);
  await transfer(7, ALICE, BOB, SOLD);
  await plantProof(api.pool, 7, "x", { accountId: "100", handle: "Ada", at: PROVED });
  await api.sql`insert into offchain.proof_ownership
    values (7, 'x', '100', ${ALICE}, 1, ${PROVED}), (7, 'wallet', ${OWN}, ${ALICE}, 1, ${PROVED})`;
  await api.sql("insert into offchain.wallet_verification values (7, $1, $2, $3)", OWN, `0x${"1".repeat(64)}`, PROVED);
  await plantAward(api.pool, 7, "verified", { awardedAt: MINTED, block: 901, txHash: `0x${"2".repeat(64)}` });
  await transaction(api.pool, (tx) => recomputeCred(tx, { tokenIds: [7] }, { now: new Date(), cause: "test" }));
}
const caveats = async (path: string) => (await api.get(path)).body.reservations as unknown as readonly Caveat[];
const ANSWERS = ["", "/cred", "/report", "/verifications", "/cred-report"].map((rest) => `/api/v2/agent/7${rest}`);

it("every answer with proofs says which were made under an earlier owner, and the score counts them", async () => {
  await sold();
  const since = "was proved on 2026-09-21 under an earlier owner; the token came to its present one on 2026-09-22.";
  const dates = { reason: "earlier_owner", provedAt: PROVED, transferredAt: new Date(SOLD * 1000).toISOString() };
  const expected = [
    { ...dates, about: "wallet", says: `Its wallet ${since}` },
    { ...dates, about: "x", says: `Its account on X ${since}` },
  ];
  for (const path of [...ANSWERS, `/api/v2/agent/${OWN}/cred`])
    expect([path, await caveats(path)]).toEqual([path, expected]);
  const { body: verifications } = await api.get("/api/v2/agent/7/verifications");
  expect(verifications).toMatchObject({ x: { status: "verified", earlierOwner: true } });
  const { body: report } = await api.get("/api/v2/agent/7/cred-report");
  expect(report).toMatchObject({
    scoreBreakdown: {
      verify: {
        rawScore: 50,
        evidence: [
          { detail: `The agent's wallet is verified. Its wallet ${since.slice(0, -1)}` },
          { detail: expect.stringContaining(`. Its account on X ${since.slice(0, -1)}`) },
        ],
      },
    },
  });
});

it("who proves its wallet again is without the caveat, and the chain is told nothing new", async () => {
  await sold();
  expect((await api.postAs(wallet, "/api/v2/agent/7/verify")).status).toBe(200);
  expect((await caveats("/api/v2/agent/7")).map(({ about }) => about)).toEqual(["x"]);
  await transfer(7, BOB, ALICE, SOLD + 10);
  await api.sql("update onchain.agent set owner = $1", ALICE);
  expect((await caveats("/api/v2/agent/7")).map(({ about }) => about)).toEqual(["wallet", "x"]);
});

const rowsOf = (owner: string, many: number) =>
  Array.from({ length: many }, (_, i) => ({
    ...{ platform: "erc8004", agent_id: `${owner.slice(2, 4)}${i}`, name: `Foreign ${owner} ${i}`, cred_score: 60 },
    ...{ owner_address: owner, address: OWN, wallet_proven: true, coinbase: true },
    description: `Number ${i} of ${owner} counts words that no other counts ${i}.`,
  }));

it("an attestation and an identity that serve many say so, of each of them", async () => {
  await plantAgents(api.pool, [{ tokenId: 7, owner: OWN, agentAddress: OWN }]);
  const verification = { attestation_uid: "0x9", attester: ALICE, schema_uid: SCHEMA, recipient: OWN };
  await api.plant("exchange_verification", { token_id: 7, ...verification, verified_at: PROVED });
  await plantAttestation(api.pool, OWN, { uid: "0x9", attester: ALICE, attestedAt: 1 });
  await plantDirectory(api.pool, [
    {
      ...{ platform: "helixa", agent_id: "7", token_id: 7, name: "Sentinel", cred_score: 20 },
      ...{ owner_address: OWN, coinbase: true },
    },
    ...rowsOf(OWN, 3),
    ...rowsOf(BOB, 1),
    { platform: "erc8004", agent_id: "gone", name: "Gone", cred_score: 1, owner_address: OWN, coinbase: false },
  ]);
  const shared = (about: string, otherAgents: number, says: string) => {
    return { reason: "shared", about, otherAgents, more: false, says };
  };
  const counts = "The exchange's attestation of its owner also counts for 3 other agents.";
  for (const path of ANSWERS) expect(await caveats(path)).toEqual([shared("coinbase", 3, counts)]);
  const { body: report } = await api.get("/api/v2/agent/7/cred-report");
  expect(report).toMatchObject({
    scoreBreakdown: { coinbase: { evidence: [{ detail: expect.stringContaining(`. ${counts.slice(0, -1)}`) }] } },
  });
  // The wallet of all four foreign agents owns token 7, which lifts their cap.
  const lifts = "The identity token that lifts its cap also lifts it for 3 other agents.";
  const own = OWN.slice(2, 4);
  expect(await caveats(`/api/terminal/agent/${own}0?platform=erc8004`)).toEqual([
    shared("coinbase", 3, counts),
    shared("identity", 3, lifts),
  ]);
  expect(await caveats("/api/terminal/agent/b00?platform=erc8004")).toEqual([shared("identity", 3, lifts)]);
  expect(await caveats("/api/terminal/agent/7?platform=helixa")).toEqual([shared("coinbase", 3, counts)]);

  await plantDocuments(api.pool);
  const { hits } = await api.read<{
    hits: { agent: { agent_id: string }; factors: { key: string; says: string }[] }[];
  }>("/api/v2/discover?q=foreign&limit=50");
  const said = hits.find(({ agent }) => agent.agent_id === `${own}0`)!.factors.find(({ key }) => key === "cred")!.says;
  expect(said).toBe(`Its cred is 60 of 100. ${counts} ${lifts}`);

  // A revoked attestation serves nobody.
  await api.sql("update onchain.attestation set revoked_at = 2");
  expect(await caveats("/api/v2/agent/7")).toEqual([]);
});

it("counts no further than it shows", async () => {
  await plantAgents(api.pool, [{ tokenId: 7, owner: BOB, agentAddress: OWN }]);
  await plantDirectory(api.pool, [{ platform: "erc8004", agent_id: "first", name: "First", cred_score: 50 }]);
  await api.sql`insert into offchain.directory (platform, agent_id, name, cred_score, owner_address, coinbase)
    select 'erc8004', n::text, 'Many ' || n, 1, ${ALICE}, true from generate_series(1, 1500) n`;
  expect(await caveats("/api/terminal/agent/1?platform=erc8004")).toMatchObject([
    { otherAgents: 1000, more: true, says: expect.stringContaining("for more than 1,000 other agents.") },
  ]);
});
