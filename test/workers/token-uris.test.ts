/** Token URIs on a real chain: the service's own tokens and those without one get theirs once, owners keep what they set. */
import { describe, expect, it } from "vitest";
import { firstOffer } from "../../core/transactions/transaction-fees.ts";
import { tokensWithoutUri } from "../../db/agents/token-uris.ts";
import { openWork, stateTotals } from "../../db/operations/service-counts.ts";
import { senderState } from "../../db/transactions/sender-state.ts";
import { until } from "../../harness/until.ts";
import { FAULT_POINTS } from "../../workers/transactions/sender.ts";
import { casesOf } from "../support/share.ts";
import { perFile, perTest } from "../support/started.ts";
import { clockAtNoon, PAID_CHECKOUT, startSending } from "./support/sending.ts";
import { PUBLIC_URL, tokenUriWorld } from "./support/token-uris.ts";

const on = perFile(startSending);
const desk = perTest(() => on.fresh());
const world = perTest(() => tokenUriWorld(on, desk));

describe("a token without a URI", () => {
  it("that the service minted gets one, in one transaction however often the job runs", async () => {
    desk.send();
    const tokenId = await world.minted();
    await Promise.all([world.run(), world.run(), world.run()]);
    await world.becomes(tokenId, "set");
    expect(await world.onChain(tokenId)).toBe(world.uriOf(tokenId));
    await world.run();
    expect(await world.intents()).toMatchObject([{ key: `uri:${tokenId}`, state: "mined" }]);
    expect(await tokensWithoutUri(desk.db)).toBe(0);
  });

  it("that others minted gets one within the daily limit, and the service's own beyond it", async () => {
    const clock = clockAtNoon();
    desk.send({}, {}, clock);
    const strangers = [await world.direct(), await world.direct(), await world.direct()].map(({ tokenId }) => tokenId);
    const own = await world.minted();
    await world.run({ perDay: 2, now: clock() });
    for (const tokenId of [own, strangers[0]!, strangers[1]!]) await world.becomes(tokenId, "set");
    await world.run({ perDay: 2, now: clock() });
    expect(await world.state(strangers[2]!)).toBe("none");
    expect(await tokensWithoutUri(desk.db)).toBe(1);
    expect((await stateTotals(desk.db)).tokensWithoutUri).toBe(1);
    await world.run({ perDay: 2, now: new Date(clock().getTime() + 86_400_000) });
    await world.becomes(strangers[2]!, "set");
    for (const tokenId of [own, ...strangers]) expect(await world.onChain(tokenId)).toBe(world.uriOf(tokenId));
  });

  it("is counted and left alone while that is switched off", async () => {
    desk.send({ waitingKinds: [] });
    const { tokenId } = await world.direct();
    expect(await tokensWithoutUri(desk.db)).toBe(1);
    await world.run({ write: false });
    expect(await world.state(tokenId)).toBe("none");
    expect(await world.intents()).toEqual([]);
    // What was queued before it was switched off is not signed either.
    await world.run();
    const { mintId } = await desk.accept(desk.request());
    await desk.decided(mintId);
    expect(await world.intents()).toMatchObject([{ state: "queued" }]);
    expect(await tokensWithoutUri(desk.db)).toBe(1);
  });
});

describe("an owner's own URI", () => {
  const OWN = "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";

  it("is never overwritten: set before the job looks, or after the transaction was queued", async () => {
    const [early, late] = [await world.direct(), await world.direct()];
    await early.set(OWN);
    await world.run();
    await late.set(OWN);
    desk.send();
    await world.becomes(late.tokenId, "own");
    expect(await world.state(early.tokenId)).toBe("own");
    expect(await world.onChain(early.tokenId)).toBe(OWN);
    expect(await world.onChain(late.tokenId)).toBe(OWN);
    expect(await world.intents()).toEqual([{ key: `uri:${late.tokenId}`, state: "failed", nonce: null }]);
    expect(await tokensWithoutUri(desk.db)).toBe(0);
  });

  it("that is mined while the service's transaction waits to be is kept: a filler takes the nonce", async () => {
    const { tokenId, set } = await world.direct();
    await world.run();
    // Its bytes reach no node, however often they are sent.
    let lost: string | undefined;
    desk.send(
      {},
      {
        send: async (raw) => {
          lost ??= raw;
          return raw === lost ? { kind: "accepted" } : on.chain.send(raw);
        },
      },
    );
    await until("it is signed", async () => (await world.intents())[0]?.state === "signed");
    await set(OWN);
    await world.becomes(tokenId, "own");
    expect(await world.onChain(tokenId)).toBe(OWN);
    expect(await desk.attempts(`uri:${tokenId}`)).toMatchObject([{ filler: false }, { filler: true }]);
  });

  it("that the owner removed stays removed, and that of the service as well", async () => {
    desk.send();
    const { tokenId, set } = await world.direct();
    await world.run();
    await world.becomes(tokenId, "set");
    await set("");
    const tomorrow = new Date(Date.now() + 2 * 86_400_000);
    await world.run({ now: tomorrow });
    await world.run({ now: tomorrow, publicUrl: "https://other.example" });
    expect(await world.state(tokenId)).toBe("cleared");
    expect(await tokensWithoutUri(desk.db)).toBe(1);
    expect(await world.intents()).toHaveLength(1);
  });

  it("as long as a transaction can hold keeps no other token from being read", async () => {
    desk.send();
    const giants = [];
    for (let n = 0; n < 6; n++) giants.push(await world.direct());
    for (const { set } of giants) await set(`data:,${"x".repeat(24_000)}`);
    const { tokenId } = await world.direct();
    await world.run();
    await world.becomes(tokenId, "set");
    for (const giant of giants) expect(await world.state(giant.tokenId)).toBe("own");
  });
});

describe("a change of PUBLIC_URL", () => {
  const MOVED = "https://moved.example";

  it("is followed by the URIs that the service set, there and back, and by no others", async () => {
    desk.send();
    const [ours, theirs] = [await world.direct(), await world.direct()];
    // An owner may have chosen the service's address; that it moved is no reason to write.
    await theirs.set(world.uriOf(theirs.tokenId));
    await world.run();
    await world.becomes(ours.tokenId, "set");
    for (const publicUrl of [MOVED, PUBLIC_URL]) {
      await world.run({ publicUrl, perDay: 0 });
      expect(await world.state(ours.tokenId)).toBe("set");
      await world.run({ publicUrl, now: new Date(Date.now() + 86_400_000) });
      const there = world.uriOf(ours.tokenId, publicUrl);
      await until("it is there", async () => (await world.onChain(ours.tokenId)) === there);
      await world.becomes(ours.tokenId, "set");
    }
    expect(await world.onChain(theirs.tokenId)).toBe(world.uriOf(theirs.tokenId));
    const keys = ["", "#2", "#3"].map((nth) => `uri:${ours.tokenId}${nth}`);
    expect((await world.intents()).map(({ key }) => key)).toEqual(keys);
  });
});

describe("registrations come first", () => {
  it("whatever was queued before: their nonces are lower, and URIs are signed once none is queued", async () => {
    const strangers = [await world.direct(), await world.direct()];
    await world.run();
    const mints = await Promise.all([1, 2, 3].map(() => desk.accept(desk.request())));
    desk.send();
    for (const { tokenId } of strangers) await world.becomes(tokenId, "set");
    const nonceOf = async ({ mintId }: { mintId: string }) => Number((await desk.intent(`mint:${mintId}`)).nonce);
    const nonces = await Promise.all(mints.map(nonceOf));
    for (const { nonce } of await world.intents()) expect(nonce).toBeGreaterThan(Math.max(...nonces));
  });

  it("no more than 16 URIs are under way, so that a registration that comes meanwhile waits for few", async () => {
    const tokens = [];
    for (let n = 0; n < 20; n++) tokens.push(await world.direct());
    await world.run();
    await on.evm.setAutomine(false);
    desk.send();
    await on.pooled(16);
    const mint = await desk.accept(desk.request());
    await on.pooled(17);
    expect((await desk.intent(`mint:${mint.mintId}`)).state).toBe("signed");
    expect((await world.intents()).filter(({ state }) => state === "signed")).toHaveLength(16);
    await on.evm.setAutomine(true);
    await on.evm.mine({ blocks: 1 });
    expect(await desk.decided(mint.mintId)).toMatchObject({ state: "minted" });
    for (const { tokenId } of tokens) await world.becomes(tokenId, "set");
  });

  it("a fifth of the day's budget is all that URIs may use: they wait, and registrations go on", async () => {
    const { tokenId } = await world.direct();
    await world.run();
    const market = await on.chain.fees();
    const offer = firstOffer(market, on.config.sender);
    const { rounds, headBlock } = countedRounds();
    /** A sender whose day has room for so much gas at what it offers. */
    const send = (gas: bigint) => {
      const { maxFeePerGasWei } = on.config.sender;
      const options = { dailyBudgetWei: gas * offer.maxFeePerGasWei, maxFeePerGasWei };
      return desk.send(options, { fees: async () => market, headBlock });
    };
    // A URI offers 0.12 M gas, which is more than a fifth of this, and a registration 0.4 M.
    const sender = send(500_000n);
    const mint = await desk.accept(desk.request(), PAID_CHECKOUT);
    expect(await desk.decided(mint.mintId)).toMatchObject({ state: "minted" });
    const before = rounds();
    await until("three more rounds", () => rounds() >= before + 3);
    expect(await world.intents()).toMatchObject([{ state: "queued" }]);
    expect(await senderState(desk.db)).toMatchObject({ funded: true, pausedUntil: null });
    const { waitingTransactions, transactions } = await openWork(desk.db);
    expect(waitingTransactions.rows).toBe(1);
    expect(transactions.filter(({ state }) => state === "queued")).toEqual([]);
    await sender.stop();
    send(5_000_000n);
    await world.becomes(tokenId, "set");
  });

  it("the balance below which writes would be refused is not spent on URIs", async () => {
    const { tokenId } = await world.direct();
    await world.run();
    const minBalanceWei = await on.chain.balance(on.signer.address);
    const { rounds, headBlock } = countedRounds();
    const sender = desk.send({ minBalanceWei }, { headBlock });
    await until("three rounds", () => rounds() >= 3);
    expect(await world.intents()).toMatchObject([{ state: "queued" }]);
    expect(await senderState(desk.db)).toMatchObject({ funded: true });
    await sender.stop();
    desk.send();
    await world.becomes(tokenId, "set");
  });
});
/** The head of the chain, and how often it was asked for. */
function countedRounds() {
  let count = 0;
  const headBlock = () => {
    count++;
    return on.chain.headBlock();
  };
  return { rounds: () => count, headBlock };
}

describe("reorganisations and crashes", () => {
  it("a URI that is reorganised away is set again by the same transaction", async () => {
    const { tokenId } = await world.direct();
    await world.run();
    await on.evm.setAutomine(false);
    desk.send();
    await on.minesPooled(1);
    await world.becomes(tokenId, "set");
    await on.reorg(1);
    await world.becomes(tokenId, "queued");
    await on.minesPooled(1);
    await world.becomes(tokenId, "set");
    expect(await world.onChain(tokenId)).toBe(world.uriOf(tokenId));
    expect(await desk.attempts(`uri:${tokenId}`)).toHaveLength(1);
  });

  it("a token that is reorganised away with its URI gets it once it is minted again, by whomever", async () => {
    await on.evm.setAutomine(false);
    const { mintId } = await desk.accept(desk.request());
    desk.send();
    await on.minesPooled(1);
    const { tokenId, txHash } = await desk.decided(mintId);
    await world.index(tokenId!, txHash!);
    await world.run();
    await on.minesPooled(1);
    await world.becomes(tokenId!, "set");
    await on.reorg(2);
    await world.becomes(tokenId!, "queued");
    await on.minesPooled(2);
    const again = await desk.decided(mintId);
    expect(again.tokenId).toBe(tokenId);
    await world.becomes(tokenId!, "set");
    expect(await world.onChain(tokenId!)).toBe(world.uriOf(tokenId!));
    expect(await desk.attempts(`uri:${tokenId}`)).toHaveLength(1);
  });

  it.each(casesOf(FAULT_POINTS, ["sender.after-sign"]))("kill -9 at %s ends in one transaction", async (point) => {
    const { tokenId } = await world.direct();
    await world.run();
    expect(await desk.spawnSender(point).ended).toBe("SIGKILL");
    // The job comes round again before the sender is back.
    await world.run();
    desk.send();
    await world.becomes(tokenId, "set");
    await world.run();
    expect(await world.onChain(tokenId)).toBe(world.uriOf(tokenId));
    expect(await world.intents()).toMatchObject([{ key: `uri:${tokenId}`, state: "mined" }]);
    expect(await desk.attempts(`uri:${tokenId}`)).toHaveLength(1);
  });
});
