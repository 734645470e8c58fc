/** The world the web terminal is tested in: agents whose every text is hostile, a canonical registry with feedback, and a directory of several pages. */

import type pg from "pg";
import type { Hex } from "../../core/agents/facts.ts";
import type { JobEvent } from "../../core/commerce/jobs.ts";
import type { Json } from "../../core/json.ts";
import { VERIFIED_ACCOUNT } from "../../db/agents/attestations.ts";
import { openContract, storeCommerceRange } from "../../db/commerce/commerce-logs.ts";
import { plantRows } from "../../harness/onchain.ts";
import { incomeStats, jobStats } from "../../workers/income/recompute-due.ts";
import { reviewStats } from "../../workers/reviews/review-stats.ts";
import { randomAgents } from "../support/agents.ts";
import { plantDirectory } from "../support/directory.ts";
import { plantAgents } from "../support/plant-agents.ts";

/** Would set `window.pwned` if anything of it were ever taken for markup. */
export const HOSTILE = `"><img src=x onerror="window.pwned=1"><script>window.pwned=1</script>`;
export const HOSTILE_ID = 2;
/** A foreign agent with the same in its id. */
export const HOSTILE_REF = `${HOSTILE}'&#x27;`;
/** Of the canonical registry; its wallet is that of own agent 0. */
export const TWIN_ID = "1006";

/** Rows that are no identities, beside those that are. */
const FOREIGN = 130;
/** What two agents of two registries can do; all others say nothing but what is hostile. */
const TRANSLATORS: Record<number, string> = {
  12: "Translates contracts into French, with every clause explained.",
  13: "Sworn lawyers of Lyon: we read, amend and sign; a colleague translates contracts overnight.",
};
/** Words that no other agent has: agents of like texts would be copies of one another. */
const ownWords = (i: number) =>
  Array.from(
    "aeiouy",
    (vowel) => `${vowel}${"bcdfghjklm"[i % 10]}${vowel}${"npqrstvwxzbcdf"[Math.floor(i / 10)]}o`,
  ).join(" ");
const DAY_MS = 86_400_000;
const REGISTRY: Hex = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";
const ATTESTATION_SCHEMA: Hex = `0x${"f".repeat(64)}`;
const HASH: Hex = `0x${"ab".repeat(32)}`;

export type WorldOptions = {
  /** What strangers have written, everywhere where they can write. */
  words?: string;
  /** Of the hostile agent and of the human, lower case. */
  wallet?: Hex;
};

export async function plantWorld(pool: pg.Pool, { words = HOSTILE, wallet }: WorldOptions = {}): Promise<void> {
  const now = Date.now();
  const hostileRef = words + HOSTILE_REF.slice(HOSTILE.length);
  const agents = randomAgents(6, new Date(now), 42);
  agents[0]!.facts.name = "Meridian";
  agents[0]!.facts.verified = true;
  // One character over and over is no name.
  agents[5]!.facts.name = "aaaa";
  agents[0]!.facts.profile = [
    ...agents[0]!.facts.profile.filter(({ field }) => field.includes(".")),
    ...Object.entries<Json>({
      services: { mcp: { url: "https://meridian.example/mcp", version: "1.2" }, telegram: { handle: "@meridian" } },
      skills: ["oceanography"],
      metadata: { acceptedPayments: ["usdc"], openToWork: true },
    }).map(([field, value]) => ({ field, value, writtenAt: new Date(now).toISOString() })),
  ];
  hostile(agents[HOSTILE_ID]!.facts, now, words);
  agents[HOSTILE_ID]!.facts.agentAddress = wallet ?? agents[HOSTILE_ID]!.facts.agentAddress;
  await plantAgents(pool, agents);
  const [first] = agents;
  await plantDirectory(pool, [
    ...agents.map(({ facts: f }, i) => ({
      platform: "helixa",
      agent_id: String(f.tokenId),
      token_id: f.tokenId,
      name: f.name,
      cred_score: 95 - i * 12,
      address: f.agentAddress,
      owner_address: f.owner,
      wallet_proven: f.verified,
      wallet_confirmed: i === 0,
      created_at: new Date(now - (i + 1) * DAY_MS).toISOString(),
    })),
    ...Array.from({ length: FOREIGN }, (_, i) => ({
      platform: i % 2 === 0 ? "erc8004" : "virtuals",
      agent_id: i === 7 ? hostileRef : String(1000 + i),
      name: i === 7 ? words : `Foreign ${String(i).padStart(3, "0")}`,
      description: TRANSLATORS[i] ?? `${words} ${ownWords(i)}`,
      cred_score: (i * 7) % 34,
      x402_supported: i % 10 === 0,
      address: i === 6 ? first!.facts.agentAddress : null,
      wallet_proven: i === 6,
      token_symbol: i % 2 === 1 ? (i === 7 ? words.slice(0, 30) : `T${i}`) : null,
      token_name: i === 7 ? words : null,
      market_cap_usd: i % 2 === 1 ? i * 1000 : null,
      price_change_24h: i % 2 === 1 && i < 40 ? i - 29 : null,
      liquidity_usd: i % 2 === 1 ? i * 10 : null,
      created_at: new Date(now - (i + 10) * DAY_MS).toISOString(),
    })),
  ]);
  await pool.query(
    `update offchain.directory set registry = $1, services = $2 where platform = 'erc8004'
     or (platform = 'virtuals' and agent_id = $3)`,
    [
      REGISTRY,
      JSON.stringify([
        { name: words, endpoint: words, version: words },
        { name: "script", endpoint: "javascript:window.pwned=1", version: null },
        { name: "MCP", endpoint: "https://tools.example/mcp?a=1&b=%22", version: "1.2" },
      ]),
      hostileRef,
    ],
  );
  await pool.query(
    `insert into offchain.directory_item (source, source_id, platform, agent_id, raw, warnings, digest, fetched_at, sweep)
     values ('virtuals', $1, 'virtuals', $1, '{}', array[$2], '', now(), 0)`,
    [hostileRef, HOSTILE],
  );
  await pool.query(
    `insert into offchain.cred_history (token_id, score, cause, block, at) values (0, 40, 'age', 1, now() - interval '20 days'),
     (0, 88, 'agent.verified', 2, now() - interval '9 days'), (0, 95, $1, 3, now() - interval '1 day'), ($2, 71, $1, 3, now())`,
    [HOSTILE, HOSTILE_ID],
  );
  await pool.query(
    `insert into offchain.job_run (name, last_started_at, next_run_at, error) values ($1, now(), now(), $1)`,
    [HOSTILE],
  );
  await plantRegistry(pool, now, first!.facts.agentAddress, words);
  await plantPayments(pool, now, first!.facts);
  await plantJobs(pool, now, first!.facts);
  await plantPeople(pool, { ...first!.facts, ...(wallet && { owner: wallet }) }, words);
}

/** A human with a hostile word in every field, whose agent is Meridian, and a message like that. */
async function plantPeople(pool: pg.Pool, { tokenId, owner }: Facts, words: string): Promise<void> {
  const stated = JSON.stringify({ [words]: words, website: "javascript:window.pwned=1" });
  await pool.query(
    `insert into offchain.human (id, principal, wallet, name, description, organization, skills, domains, linked_accounts,
       services, contact, created_at, updated_at)
     values ('hum_1', $2, $2, $1, $1, $1, array[$1], array[$1], $3, '{}', '{}', now(), now())`,
    [words, owner, stated],
  );
  await pool.query(
    `insert into offchain.human_agent (human_id, token_id, owner, transfers, linked_at)
     values ('hum_1', $1, $2, 0, now())`,
    [tokenId, owner],
  );
  await pool.query(
    `insert into offchain.message (group_id, message_id, sender, sender_name, sender_token_id, sender_cred, content, sent_at)
     values ('general', 1, $2, $1, $3, 61, $1, now())`,
    [words, owner, tokenId],
  );
}

type Facts = ReturnType<typeof randomAgents>[number]["facts"];

/** Every text that anybody can put on an agent, on chain and off. */
function hostile(facts: Facts, now: number, words: string): void {
  const at = new Date(Math.floor(now / 1000) * 1000).toISOString();
  facts.name = words;
  facts.framework = words;
  facts.version = words;
  facts.agentName = words;
  facts.traits = [
    ...facts.traits
      .filter(({ name }) => !/^link/i.test(name))
      .map((trait, i) => ({ ...trait, name: words + i, addedAt: at })),
    { name: "linked-token", category: words, addedAt: at },
    { name: "linked-token-chain", category: words, addedAt: at },
    { name: "linked-token-symbol", category: words, addedAt: at },
  ].map((trait) => ({ ...trait, ...(!trait.name.startsWith("linked") && { category: words }) }));
  const lines = words.replaceAll(". ", ".\n\n# ");
  facts.onchainNarrative = { origin: words, mission: lines, lore: lines, manifesto: words };
  facts.onchainPersonality = {
    ...{ quirks: words, communicationStyle: words, values: words, humor: words },
    ...{ riskTolerance: 10, autonomyLevel: 0 },
  };
  facts.profile = ["twitter", "website", "github"].map((field) => ({
    field: `social.${field}` as Facts["profile"][number]["field"],
    value: field === "website" ? "javascript:window.pwned=1" : words,
    writtenAt: at,
  }));
  const listed = { url: "javascript:window.pwned=1", version: words };
  const listing: Record<string, Json> = {
    services: { [words]: { handle: words }, script: listed, MCP: { url: "https://tools.example/mcp" } },
    skills: [words],
    domains: [words],
    metadata: {
      [words]: words,
      link: "javascript:window.pwned=1",
      deep: { [words]: [words] },
      list: [words],
    },
  };
  for (const [field, value] of Object.entries(listing)) facts.profile.push({ field, value, writtenAt: at });
  facts.proofs = (["x", "github", "farcaster"] as const).map((platform) => ({
    ...{ platform, accountId: platform, handle: words, username: words, status: "verified" as const },
    ...{ verifiedAt: at, checkedAt: at, txHash: null, evidence: { url: words } },
  })) as Facts["proofs"];
}

/** Own agent 0 was paid by two others, by one of them twice, and by itself; one payment went back. */
async function plantPayments(pool: pg.Pool, now: number, { agentAddress: wallet }: Facts): Promise<void> {
  const [ada, bob, exchange] = ["a1", "b2", "e3"].map((byte) => `0x${byte.repeat(20)}`) as [Hex, Hex, Hex];
  await pool.query(
    `insert into offchain.income_cohort (id, kind, from_block, read_to) values (1, 'wallet', 1, 900), (2, 'payer', 1, 900)`,
  );
  for (const [address, kind] of [
    [wallet, "wallet"],
    [ada, "payer"],
    [bob, "payer"],
  ] as const)
    await pool.query("insert into offchain.income_followed (address, kind, cohort) values ($1, $2, $3)", [
      ...[address, kind, kind === "wallet" ? 1 : 2],
    ]);
  await pool.query("insert into offchain.income_account (address, sent) values ($1, 9000000)", [exchange]);
  const moves: [from: Hex, to: Hex, units: number, daysAgo: number, paid: boolean][] = [
    [exchange, ada, 9_000_000, 89, false],
    [exchange, bob, 9_000_000, 89, false],
    [ada, wallet, 1_000_000, 80, true],
    [ada, wallet, 2_000_000, 20, true],
    [bob, wallet, 40_000, 3, true],
    [bob, wallet, 250_000, 2, true],
    [wallet, bob, 250_000, 1, false],
    [wallet, wallet, 5_000_000, 1, true],
  ];
  for (const [i, [from, to, units, daysAgo, paid]] of moves.entries()) {
    const hash = `0x${i.toString(16).padStart(64, "0")}`;
    const at = Math.floor(now / 1000) - daysAgo * 86_400;
    await pool.query("insert into offchain.income_move values ($1, 1, $2, $3, $1, $4, $5, $6, $7)", [
      ...[hash, 100 + i, at, from.toLowerCase(), to.toLowerCase(), units, paid ? hash : null],
    ]);
  }
  const config = { contracts: { usdc: { address: "0xusdc" } } };
  await incomeStats.run({ db: pool, clock: () => new Date(now), log: console, config } as never, {});
}

/** Own agent 0 was hired by two others, by one of them with itself as the evaluator, and by itself; one job was rejected. */
async function plantJobs(pool: pg.Pool, now: number, { agentAddress: provider }: Facts): Promise<void> {
  const [ada, bob, judge, address] = ["a1", "b2", "d4", "c8"].map((byte) => `0x${byte.repeat(20)}`) as [
    Hex,
    Hex,
    Hex,
    Hex,
  ];
  const token = "0xusdc";
  const jobs: [client: Hex, evaluator: Hex, units: number, daysAgo: number, end: "completed" | "rejected"][] = [
    [ada, judge, 2_500_000, 60, "completed"],
    [bob, bob, 1_250_000, 20, "completed"],
    [provider, judge, 5_000_000, 4, "completed"],
    [ada, judge, 750_000, 2, "rejected"],
  ];
  const logs = jobs.flatMap(([client, evaluator, units, daysAgo, end], i) => {
    const events: JobEvent[] = [
      { kind: "created", client, provider: provider.toLowerCase(), evaluator, expiresAt: Math.floor(now / 1000) },
      { kind: "funded", units: String(units), token },
      { kind: "submitted" },
      { kind: end },
    ];
    return events.map((event, n) => {
      const block = 200 + 10 * i + n;
      const hash = `0x${block.toString(16).padStart(64, "0")}`;
      const at = Math.floor(now / 1000) - daysAgo * 86_400 + n;
      return { jobId: String(i + 1), event, block, blockHash: hash, logIndex: 1, at, txHash: hash };
    });
  });
  const contract = await openContract(pool, address, 100);
  await storeCommerceRange(pool, contract, { from: 100, to: 900, hash: HASH, logs }, new Date(now));
  const config = { contracts: { usdc: { address: token } } };
  await jobStats.run({ db: pool, clock: () => new Date(now), log: console, config } as never, {});
}

/** @param wallet of own agent 0, which the registry has for its twin */
async function plantRegistry(pool: pg.Pool, now: number, wallet: Hex, words: string): Promise<void> {
  const seconds = Math.floor(now / 1000);
  const about = { registry: REGISTRY, agentId: BigInt(TWIN_ID) };
  const client = (n: number): Hex => `0x${String(n).repeat(40)}`;
  await plantRows(pool, "erc8004Agent", [
    {
      ...about,
      ...{ owner: client(9), agentWallet: wallet, agentUri: `https://agent.example/${words}`, txHash: HASH },
      ...{ registeredAt: seconds - 86_400, registeredBlock: 12, feedbackCount: 2, updatedBlock: 12 },
    },
  ]);
  // The first of them is a person.
  await plantRows(pool, "attestation", [
    {
      ...{ uid: HASH, schema: ATTESTATION_SCHEMA, attester: client(8), recipient: client(1), data: VERIFIED_ACCOUNT },
      ...{ attestedAt: 1, expiresAt: 0, revokedAt: 0, block: 1, txHash: HASH },
    },
  ]);
  await plantRows(
    pool,
    "erc8004Feedback",
    [1, 2, 3].map((n) => ({
      ...about,
      ...{
        client: client(n),
        feedbackIndex: 1n,
        value: BigInt(60 + n),
        valueDecimals: 0,
        tag1: "starred",
        tag2: words,
      },
      ...{ endpoint: words, feedbackUri: n === 1 ? "https://said.example/1" : words, feedbackHash: HASH },
      ...{ revoked: n === 3, givenAt: seconds - n, block: 13, txHash: HASH },
    })),
  );
  await pool.query(
    `insert into offchain.registration_file (registry, agent_id, uri, status, warnings, errors, fetched_at, failures)
     values ($1, $2, '', 'parsed', array[$3], '{}', now(), 0)`,
    [REGISTRY, TWIN_ID, HOSTILE],
  );
  await plantRows(pool, "erc8004Response", [
    {
      ...about,
      ...{ id: "1", client: client(1), feedbackIndex: 1n, responder: wallet, responseUri: words, responseHash: HASH },
      ...{ respondedAt: seconds, block: 14, txHash: HASH },
    },
  ]);
  // The person's review names a file with its hash, and the file a payment; the other's file is not what was reviewed by.
  for (const [n, state, proof] of [
    [1, "matches", "paid"],
    [2, "differs", null],
  ] as const)
    await pool.query(
      `insert into offchain.review_file (registry, agent_id, client, feedback_index, digest, given_at, state, why, read_at,
         proof_tx, proof_state, proof_wallet, payer, units, paid_at)
       select f.registry, f.agent_id, f.client, f.feedback_index, md5(f.feedback_uri || ' ' || f.feedback_hash || ' ' || f.given_at),
         f.given_at, $2, null, now(), case when $3::text is not null then $4 end, $3, $5, f.client,
         case when $3::text is not null then 1250000 end, 1000
       from onchain.erc8004_feedback f where f.client = $1`,
      [client(n), state, proof, HASH, wallet],
    );
  const config = { attestationSchemas: [ATTESTATION_SCHEMA], service: { publicUrl: "https://agents.test" } };
  await reviewStats.run({ db: pool, clock: () => new Date(now), config } as never, {});
}
