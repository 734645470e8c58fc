/** Whose is a linked token? Ties are read from a real chain; only a tied token counts in sorts and filters. */
import { parseAbi } from "viem";
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Address } from "../../core/agents/facts.ts";
import { blankEntry } from "../../core/directory/entry.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { terminalRow } from "../../core/directory/row.ts";
import { Failure } from "../../core/errors.ts";
import { listDirectory } from "../../db/directory/list.ts";
import { storeQuotes } from "../../db/directory/markets.ts";
import { directoryRows, findDirectoryId } from "../../db/directory/rows.ts";
import { rememberLink } from "../../db/directory/token-links.ts";
import { upsertEntries } from "../../db/directory/write.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { chainAt } from "../../harness/chain-at.ts";
import type { JobContext } from "../../workers/context.ts";
import { tokenTies } from "../../workers/directory/token-ties.ts";
import { contractWorld } from "../support/contract-world.ts";
import { testDatabase } from "../support/database.ts";
import { perFile, perTest } from "../support/started.ts";

const NOW = new Date(Date.UTC(2026, 10, 26));
const DAY_MS = 86_400_000;
const rules = { now: NOW, exchangeSchema: `0x${"1".repeat(64)}` };
const lower = (address: string) => address.toLowerCase() as Address;

const world = perFile(contractWorld);
let chain: ReturnType<typeof chainAt>;
const db = perTest(() => testDatabase({ indexed: true }));
/** A token that `maker` deployed, one whose owner() is `holder`, and one that a registry launched for `launched`. */
let made: Address, owned: Address;
const launchedToken = lower(`0x${"ab".repeat(20)}`);
let maker: Address, holder: Address, launched: Address, stranger: Address;
beforeAll(async () => {
  chain = chainAt(world.anvil.url);
  made = lower(await world.deploy("Multicall3", []));
  owned = lower(world.devnet.contracts.identity);
  const of = (person: number) => lower(world.people[person]!.account.address);
  [launched, stranger, holder, maker] = [of(5), of(6), of(7), of(9)];
  const abi = parseAbi(["function transferOwnership(address newOwner)"]);
  await world.mined(
    world.deployer.writeContract({ address: owned, abi, functionName: "transferOwnership", args: [holder] }),
  );
});
beforeEach(async () => {
  const entry = blankEntry({ platform: "virtuals", agentId: "v1", name: "V", tokenAddress: launchedToken });
  await transaction(db.pool, (tx) => upsertEntries(tx, [{ ...entry, ownerAddress: launched }], rules));
});

type Own = { tokenId: number; token: Address; owner: Address; wallet?: Address };
const show = ({ tokenId, token, owner, wallet }: Own) =>
  transaction(db.pool, (tx) =>
    upsertEntries(
      tx,
      [
        {
          ...blankEntry({ platform: OWN_PLATFORM, agentId: String(tokenId), name: `Agent ${tokenId}`, tokenId }),
          ...{ ownerAddress: owner, address: wallet ?? null, tokenAddress: token, tokenSymbol: "TKN", score: 10 },
        },
      ],
      rules,
    ),
  );
/** An agent whose owner, or whoever else, links a token. */
async function link(agent: Own, by: Address = agent.owner) {
  await rememberLink(db.pool, { tokenId: agent.tokenId, token: agent.token, wallet: by }, NOW);
  await show(agent);
}
const run = (now = NOW, over: object = {}) =>
  tokenTies.run({ db: db.pool, chain: { ...chain, ...over }, clock: () => now } as unknown as JobContext, {});
const quote = (token: Address, more: object = {}) =>
  storeQuotes(
    db.pool,
    [
      {
        ...{ token, known: true, symbol: "TKN", name: "Token", marketCapUsd: 5e6, basis: null },
        ...{ priceChange24h: 12, volume24hUsd: 2e5, liquidityUsd: 9e4, ...more },
      },
    ],
    { source: "dexscreener", now: NOW },
  );
const row = async (tokenId: number) =>
  terminalRow((await directoryRows(db.pool, [(await findDirectoryId(db.pool, `helixa-${tokenId}`))!]))[0]!, "");
const ask = async (filter: "all" | "gainers" | "trending", more: object = {}) => {
  const page = await listDirectory(db.pool, {
    ...{ filter, sort: "token_market_cap", descending: true, now: NOW.getTime(), limit: 50, offset: 0, ...more },
  } as never);
  return (await directoryRows(db.pool, page.ids)).map(({ name }) => name);
};
const due = async (tokenId: number) =>
  (await db.rows("select tie, due_at from offchain.token_link where token_id = $1", [tokenId]))[0];

it("counts where the linking wallet deployed it, is its owner(), or is named by the registry that launched it", async () => {
  await link({ tokenId: 1, token: made, owner: maker });
  await link({ tokenId: 2, token: owned, owner: stranger, wallet: holder }, holder);
  await link({ tokenId: 3, token: launchedToken, owner: launched });
  await link({ tokenId: 4, token: made, owner: stranger });
  await link({ tokenId: 5, token: owned, owner: stranger });
  await link({ tokenId: 6, token: launchedToken, owner: stranger });
  for (const token of [made, owned, launchedToken]) await quote(token);
  expect(await ask("all", { hasToken: true })).toEqual(["V"]);
  expect(await run()).toBe(3);
  for (const tokenId of [1, 2, 3, 4, 5, 6])
    expect(await row(tokenId)).toMatchObject({
      ...{ token_source: "owner", counts: tokenId <= 3, market_data_source: "dexscreener" },
      ...{ token_market_cap: 5e6, price_change_24h: 12, volume_24h: 2e5, liquidity_usd: 9e4 },
    });
  for (const filter of ["gainers", "trending"] as const)
    expect((await ask(filter)).toSorted()).toEqual(["Agent 1", "Agent 2", "Agent 3", "V"]);
  expect(await due(1)).toEqual({ tie: "deployer", due_at: null });
  expect(await due(2)).toEqual({ tie: "owner", due_at: new Date(NOW.getTime() + DAY_MS) });
  expect(await due(4)).toEqual({ tie: null, due_at: new Date(NOW.getTime() + DAY_MS) });
  expect(await run()).toBe(0);
});

it("stops counting when the agent is sold, and counts for a buyer only who links it and is tied to it himself", async () => {
  await link({ tokenId: 1, token: made, owner: maker });
  await quote(made);
  await run();
  expect(await row(1)).toMatchObject({ counts: true });
  // Sent to whoever deployed a famous token: the agent's wallet stays the attacker's, and so does the link.
  await link({ tokenId: 2, token: made, owner: stranger, wallet: stranger });
  await show({ tokenId: 2, token: made, owner: maker, wallet: stranger });
  await show({ tokenId: 1, token: made, owner: stranger });
  await run(new Date(NOW.getTime() + 2 * DAY_MS));
  expect(await row(1)).toMatchObject({ counts: false, token_source: "owner" });
  expect(await row(2)).toMatchObject({ counts: false });
  await link({ tokenId: 2, token: made, owner: maker, wallet: stranger }, maker);
  await run();
  expect(await row(2)).toMatchObject({ counts: true });
  await link({ tokenId: 2, token: owned, owner: maker, wallet: stranger }, maker);
  expect(await row(2)).toMatchObject({ counts: false });
});

it("does not count a price on a market of less than 10,000 dollars, whoever named the token", async () => {
  await link({ tokenId: 1, token: made, owner: maker });
  await run();
  await quote(made, { liquidityUsd: 9_999 });
  await quote(launchedToken, { liquidityUsd: null });
  expect(await ask("gainers")).toEqual([]);
  expect(await row(1)).toMatchObject({ counts: true, price_change_24h: null, liquidity_usd: 9_999 });
  await quote(made, { liquidityUsd: 10_000 });
  expect(await ask("gainers")).toEqual(["Agent 1"]);
});

it("puts off what the node cannot say, and goes on with the others", async () => {
  await link({ tokenId: 1, token: owned, owner: stranger });
  await link({ tokenId: 2, token: made, owner: maker });
  const away = async ({ to }: { to: Address }) => {
    if (to === owned) throw new Failure("upstream_unavailable", "away");
    return { ok: false, data: "0x", reason: "reverted" };
  };
  await expect(run(NOW, { call: away })).rejects.toThrow("away");
  expect(await row(2)).toMatchObject({ counts: true });
  expect(await due(1)).toEqual({ tie: null, due_at: new Date(NOW.getTime() + 600_000) });
});

it.each([
  ["nothing", "0x"],
  ["a word that is no address", `0x${"f".repeat(64)}`],
  ["ten thousand words", `0x${"0".repeat(640_000)}`],
])("a contract that answers owner() with %s has none", async (_, data) => {
  await link({ tokenId: 1, token: owned, owner: stranger });
  await run(NOW, { call: async () => ({ ok: true, data }) });
  expect(await due(1)).toMatchObject({ tie: null });
});
