/** Sentences of docs/use with a figure, each beside the value of the code that the figure is of: neither changes alone. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { DEFAULT_GRACE_SECONDS } from "../api/schemas/webhooks.ts";
import { ORGANIZATIONS_PER_PRINCIPAL } from "../api/services/organizations.ts";
import { DEFAULT_LIMITS } from "../config/limits.ts";
import { MAX_SHARED_AGENTS } from "../core/agents/caveats.ts";
import { CREDENTIAL_LIFETIME_MS, CREDENTIAL_SKEW_MS } from "../core/callers/wallet-credential.ts";
import { INCOME_SECONDS, MAX_PAYERS, MAX_WEIGHED } from "../core/income/rules.ts";
import { CREATOR_MIN_CRED, GROUPS_PER_CREATOR } from "../core/messages/message-groups.ts";
import { formatUsdc, PRICES } from "../core/payments/prices.ts";
import { HUMAN_SIGNALS } from "../core/principals/cred.ts";
import { SLUG_RETIREMENT_MS } from "../core/principals/slugs.ts";
import { GAS_PER_DAY } from "../core/transactions/free-gas.ts";
import { FAILURES_BEFORE_PAUSE, MAX_ATTEMPTS, waitMs } from "../core/webhooks/attempts.ts";
import { POOL_LIMITS } from "../core/webhooks/pools.ts";
import { LOG_SIZE } from "../db/webhooks/deliveries.ts";
import { MAX_PENDING } from "../db/webhooks/fan-out.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A guide, what it says, and what the code has beside what that means. */
const FIGURES: readonly [guide: string, says: string, has: unknown, means: unknown][] = [
  ["signing-in", "A credential is valid for an hour.", CREDENTIAL_LIFETIME_MS, HOUR],
  ["signing-in", "those dated ahead (up to five minutes)", CREDENTIAL_SKEW_MS, HOUR / 12],
  [
    "principals",
    "valid from five minutes before their timestamp to an hour after it",
    [CREDENTIAL_SKEW_MS, CREDENTIAL_LIFETIME_MS],
    [HOUR / 12, HOUR],
  ],
  ["principals", "at most 20 for each principal", ORGANIZATIONS_PER_PRINCIPAL, 20],
  ["principals", "For 90 days only the same principal", SLUG_RETIREMENT_MS, 90 * DAY],
  ["webhooks", "tried five times more", MAX_ATTEMPTS, 6],
  [
    "webhooks",
    "after about 5 s, 30 s, 3 min, 18 min and 108 min, each with a random fifth more or less",
    [...[1, 2, 3, 4, 5].map((attempts) => waitMs(attempts, 0.5)), waitMs(1, 0), waitMs(1, 1)],
    [...[5, 30, 180, 1_080, 6_480].map((seconds) => seconds * 1000), 4_000, 6_000],
  ],
  ["webhooks", "After five failed attempts in a row the webhook **pauses**", FAILURES_BEFORE_PAUSE, 5],
  ["webhooks", "or has 1,000 deliveries waiting", MAX_PENDING, 1_000],
  ["webhooks", "keeps the newest 2,000 settled deliveries", LOG_SIZE, 2_000],
  ["webhooks", "the former one also signs for a day", DEFAULT_GRACE_SECONDS, DAY / 1000],
  ["webhooks", "20 of a wallet, and of an agent", DEFAULT_LIMITS["webhooks-of-wallet"], 20],
  ["webhooks", "100 made from one client network", DEFAULT_LIMITS["webhooks-of-network"], 100],
  ["webhooks", "10,000 in all, of which 2,500 are kept", DEFAULT_LIMITS["webhooks-in-all"], 10_000],
  ["messaging", "an agent's wallet with a cred of 51", CREATOR_MIN_CRED, 51],
  ["messaging", "A wallet creates at most 100 groups.", GROUPS_PER_CREATOR, 100],
  ["events", "100 streams of one address", DEFAULT_LIMITS.streams, 100],
  ["events", "10,000 of a process", DEFAULT_LIMITS["streams-in-all"], 10_000],
  ["proofs", "(`otherAgents`, at most 1,000 and then `more`)", MAX_SHARED_AGENTS, 1_000],
  ["profile", "6,000,000 gas a day (UTC) for one agent", GAS_PER_DAY.agent, 6_000_000n],
  ["profile", "12,000,000 for one owner", GAS_PER_DAY.account, 12_000_000n],
  [
    "income",
    "Weighed one by one are 100,000 payments of 90 days.",
    [MAX_WEIGHED, INCOME_SECONDS],
    [100_000, 7_776_000],
  ],
  ["income", "Payers have 10,000 places", MAX_PAYERS, 10_000],
  ["graphql-and-sql", "and 240 a minute (`index-queries` in `LIMITS`)", DEFAULT_LIMITS["index-queries"], 240],
];

const guide = (name: string) => readFileSync(new URL(`../docs/use/${name}.md`, import.meta.url), "utf8");

it.each(FIGURES)("%s: %s", (name, says, has, means) => {
  expect(guide(name)).toContain(says);
  expect(has).toEqual(means);
});

it("principals: the weights of a human's cred", () => {
  for (const { key, weight } of HUMAN_SIGNALS)
    expect(guide("principals")).toContain(`| \`${key}\` | ${weight.wallet} | ${weight.noWallet} |`);
});

it("webhooks: the places of each pool", () => {
  for (const [pool, limits] of Object.entries(POOL_LIMITS)) {
    const { slots, perOwner, perSlowOwner, perWebhook } = limits;
    const row = new RegExp(`\\| ${pool} \\|.*\\| ${[slots, perOwner, perSlowOwner, perWebhook].join(" \\| ")} \\|`);
    expect(guide("webhooks")).toMatch(row);
  }
});

it("payments: what things cost", () => {
  const text = guide("payments");
  for (const [operation, sold] of [
    ["agentMint", "`POST /api/v2/mint` and registration with a Solana key"],
    ["solanaRegistration", "`POST /api/v2/mint` and registration with a Solana key"],
    ["credReport", "`GET /api/v2/agent/{id}/cred-report`"],
  ] as const)
    expect(text).toContain(`| ${sold} | ${formatUsdc(PRICES[operation])} USDC |`);
});
