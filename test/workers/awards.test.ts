/** Bonuses of a registration on a real chain: each once, for the right token, whatever dies or is reorganised. */
import { encodeFunctionData, numberToHex, parseEther } from "viem";
import { describe, expect, it } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import type { Address } from "../../core/agents/facts.ts";
import { OG_WALLETS } from "../../core/agents/og-wallets.ts";
import { mintById } from "../../db/mints/mints.ts";
import { until } from "../../harness/until.ts";
import { AWARD_FAULT_POINTS, FAULT_POINTS } from "../../workers/transactions/sender.ts";
import { casesOf } from "../support/share.ts";
import { perFile, perTest } from "../support/started.ts";
import { startSending, tokensOf } from "./support/sending.ts";

const on = perFile(startSending);
const desk = perTest(() => on.fresh());

/** A referrer on the chain and in the index. */
async function referrer() {
  const { tokenId, wallet } = await desk.minted({ name: "Grace" });
  await desk.plantAgent(tokenId, wallet);
  const [row] = await desk.rows("select code from offchain.referral_code where token_id = $1", [tokenId]);
  return { tokenId, wallet, code: row.code as string };
}
/** A registration that is minted, while the sender goes on. @returns its token */
async function minted(over: Parameters<typeof desk.request>[0]): Promise<number> {
  const { mintId } = await desk.accept(desk.request(over));
  desk.send();
  return (await desk.decided(mintId)).tokenId!;
}
/** Every award of a token on the chain but those of the contract itself, by reason. */
async function awardsOf(tokenId: number): Promise<[string, number][]> {
  const logs = await on.evm.getContractEvents({
    ...({ address: on.identity, abi: identityAbi, eventName: "PointsAwarded" } as const),
    ...{ args: { tokenId: BigInt(tokenId) }, fromBlock: 0n },
  });
  return logs
    .map(({ args }): [string, number] => [args.reason!, Number(args.amount)])
    .filter(([reason]) => !["mint", "trait"].includes(reason))
    .sort();
}
async function traitsOf(tokenId: number) {
  const call = { functionName: "getTraits", args: [BigInt(tokenId)] } as const;
  const traits = await on.evm.readContract({ address: on.identity, abi: identityAbi, ...call });
  return traits.map(({ name, category }) => [name, category]);
}
const awards = () =>
  desk.rows<{ intent_key: string; state: string; data: string }>(
    "select intent_key, state, data from offchain.transaction_outbox where intent_key like 'award:%' order by intent_key",
  );
const allMined = (count: number) =>
  until(`${count} awards are mined`, async () => {
    await on.evm.mine({ blocks: 1 });
    const all = await awards();
    return all.length === count && all.every(({ state }) => state === "mined");
  });
/** A call of the identity contract by any account. */
async function sendAs(from: Address, call: object, value = 0n): Promise<void> {
  const data = encodeFunctionData({ abi: identityAbi, ...call } as never);
  await on.evm.setBalance({ address: from, value: parseEther("10") });
  await on.evm.impersonateAccount({ address: from });
  const transaction = { from, to: on.identity, data, value: numberToHex(value) };
  await on.evm.request({ method: "eth_sendTransaction", params: [transaction] } as never);
}
const word = (tokenId: number) => tokenId.toString(16).padStart(64, "0");

/** V1 wallets, each for one test: a chain remembers who has registered. */
const veterans = OG_WALLETS.map(({ wallet }) => wallet);

describe("a registration with a referral code", () => {
  it("brings 50 points to the referrer and 25 to the newcomer, three blocks later and once", async () => {
    const grace = await referrer();
    const tokenId = await minted({ referralCode: grace.code });
    await on.evm.mine({ blocks: 2 });
    expect(await awards()).toEqual([]);
    await allMined(2);
    expect(await awardsOf(grace.tokenId)).toEqual([["referral", 50]]);
    expect(await awardsOf(tokenId)).toEqual([["referred_mint", 25]]);
    expect(
      await desk.rows("select referrer_token_id::int from offchain.referral where token_id = $1", [tokenId]),
    ).toEqual([{ referrer_token_id: grace.tokenId }]);
    await on.evm.mine({ blocks: 5 });
    expect(await awards()).toHaveLength(2);
  });

  it("brings nothing when the newcomer owns the referrer by the time of the award", async () => {
    const grace = await referrer();
    const mint = await desk.accept(desk.request({ referralCode: grace.code }));
    await desk.db.query("update onchain.agent set owner = $1", [mint.wallet]);
    desk.send();
    const { tokenId } = await desk.decided(mint.mintId);
    await on.evm.mine({ blocks: 4 });
    await until("the awards are settled", async () => {
      const [row] = await desk.rows("select awards_due_at from offchain.mint where mint_id = $1", [mint.mintId]);
      return row.awards_due_at === null;
    });
    expect(await awards()).toEqual([]);
    expect(await awardsOf(tokenId!)).toEqual([]);
  });

  it("of a V1 wallet without an agent brings the newcomer's points alone", async () => {
    const tokenId = await minted({ referralCode: OG_WALLETS[13]!.code });
    await allMined(1);
    expect(await awardsOf(tokenId)).toEqual([["referred_mint", 25]]);
  });
});

describe("a V1 wallet", () => {
  it("gets 200 points and its badge, and pays nothing", async () => {
    const wallet = veterans[0]!;
    const tokenId = await minted({ wallet, recipient: wallet });
    await allMined(2);
    expect(await awardsOf(tokenId)).toEqual([["v1_og", 200]]);
    expect(await traitsOf(tokenId)).toEqual([["V1 OG", "badge"]]);
  });

  it("gets them beside those of a referral", async () => {
    const grace = await referrer();
    const wallet = veterans[1]!;
    const tokenId = await minted({ wallet, recipient: wallet, referralCode: grace.code });
    await allMined(4);
    expect(await awardsOf(tokenId)).toEqual([
      ["referred_mint", 25],
      ["v1_og", 200],
    ]);
    expect(await awardsOf(grace.tokenId)).toEqual([["referral", 50]]);
  });

  it("pays what the contract asks for a trait", async () => {
    const setPricing = (wei: bigint) => sendAs(on.signer.address, { functionName: "setPricing", args: [0n, wei, 0n] });
    await setPricing(1_000n);
    const wallet = veterans[2]!;
    const tokenId = await minted({ wallet, recipient: wallet });
    await allMined(2);
    expect(await traitsOf(tokenId)).toEqual([["V1 OG", "badge"]]);
    await setPricing(0n);
  });
});

it("awards that cannot be queued hold up neither others nor the sender, and are tried again", async () => {
  const grace = await referrer();
  const bad = await desk.accept(desk.request({ referralCode: grace.code }));
  await desk.db.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse before insert on offchain.transaction_outbox for each row
      when (new.intent_key like 'award:${bad.wallet}:%') execute function refuse()`);
  const good = await desk.accept(desk.request({ referralCode: grace.code }));
  desk.send();
  await desk.decided(bad.mintId);
  await desk.decided(good.mintId);
  await allMined(2);
  expect((await awards()).every(({ intent_key }) => intent_key.includes(good.wallet))).toBe(true);
  const late = await desk.accept(desk.request());
  expect((await desk.decided(late.mintId)).state).toBe("minted");
  await desk.db.query(
    "drop trigger refuse on offchain.transaction_outbox; update offchain.mint set awards_due_at = now() where awards_due_at is not null",
  );
  await allMined(4);
});

describe("a reorganisation", () => {
  it("that renumbers the token before its awards are signed binds them to the new number", async () => {
    const wallet = veterans[3]!;
    const mint = await desk.accept(desk.request({ wallet, recipient: wallet }));
    // Nobody signs after the mint: the awards are queued and wait.
    const first = desk.send();
    const before = (await desk.decided(mint.mintId)).tokenId!;
    await first.stop();
    const snapshot = (await mintById(desk.db, mint.mintId))!;
    const holding = desk.send({ inFlight: 0, awardConfirmations: 0 });
    await until("the awards are queued", async () => (await awards()).length === 2);
    await holding.stop();
    expect((await awards()).every(({ state, data }) => state === "queued" && data.includes(word(before)))).toBe(true);

    // The block goes, and somebody else's registration takes the number.
    await on.reorg(1);
    const stranger = `0x${"5e".repeat(20)}` as Address;
    const price = await on.evm.readContract({ address: on.identity, abi: identityAbi, functionName: "mintPrice" });
    await sendAs(stranger, { functionName: "mint", args: [stranger, "Stranger", "custom", false] }, price);
    await until("the stranger has it", async () => (await tokensOf(on, stranger)).includes(before));
    desk.send();
    const after = await until("it is minted again", async () => {
      await on.evm.mine({ blocks: 1 });
      const again = (await mintById(desk.db, mint.mintId))!;
      return again.state === "minted" && again.block !== snapshot.block ? again.tokenId : undefined;
    });
    expect(after).toBe(before + 1);
    await allMined(2);
    expect(await awardsOf(after)).toEqual([["v1_og", 200]]);
    expect(await traitsOf(after)).toEqual([["V1 OG", "badge"]]);
    expect(await awardsOf(before)).toEqual([]);
  });
});

describe("kill -9 of the sender", () => {
  it.each(casesOf([...AWARD_FAULT_POINTS, ...FAULT_POINTS], ["awards.after-commit"]))(
    "at %s, while awards are under way, grants each once",
    async (point) => {
      const grace = await referrer();
      const mint = await desk.accept(desk.request({ referralCode: grace.code }));
      const minting = desk.send();
      const { tokenId } = await desk.decided(mint.mintId);
      await minting.stop();
      const { ended } = desk.spawnSender(point);
      await until("the sender is dead", async () => {
        await on.evm.mine({ blocks: 1 });
        return (await Promise.race([ended, Promise.resolve(undefined)])) === "SIGKILL";
      });
      desk.send();
      await allMined(2);
      expect(await awardsOf(grace.tokenId)).toEqual([["referral", 50]]);
      expect(await awardsOf(tokenId!)).toEqual([["referred_mint", 25]]);
    },
  );
});
