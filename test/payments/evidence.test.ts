/** The evidence of a settlement: the facilitator's hash is a hint only, and logs count only with their receipt. */
import { expect, it } from "vitest";
import type { Block, Chain, FoundLog, Receipt } from "../../clients/ports.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { RequestClaim } from "../../core/payments/claims.ts";
import { AUTHORIZATION_USED, topicOf } from "../../core/payments/transfers.ts";
import { stubChain } from "../../harness/stub-chain.ts";
import { findSettlement } from "../../payments/evidence.ts";

const TRANSFER: Hex = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const CANCELED: Hex = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";
const address = (digit: string): Address => `0x${digit.repeat(40)}`;
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const [asset, payer, payee] = [address("a"), address("b"), address("c")];
const nonce = hash("5");
const expected = { asset, payer, payee, amountUnits: 7n, nonce };
const claim = { state: "settling", payer, sinceBlock: 5_000, presentedAt: null } as unknown as RequestClaim;

const used = { address: asset, topics: [AUTHORIZATION_USED, topicOf(payer), nonce], data: "0x" as Hex, logIndex: 3 };
const cancelled = { ...used, topics: [CANCELED, topicOf(payer), nonce] };
const moved = {
  ...used,
  topics: [TRANSFER, topicOf(payer), topicOf(payee)],
  data: `0x${"7".padStart(64, "0")}` as Hex,
  logIndex: 4,
};
const receiptOf = (txHash: Hex, logs: Receipt["logs"], block = 5_001): Receipt => ({
  ...{ hash: txHash, from: payer, status: "success", block, blockHash: hash("e"), logs, feeWei: 0n, gasPaid: 0n },
});
const blockOf = (number: number, blockHash = hash("e")): Block => ({
  ...{ number, hash: blockHash, parentHash: hash("d"), timestamp: 2 * number, baseFeePerGasWei: 1n },
});
const [settling, other] = [hash("1"), hash("2")];

/** A chain with these receipts; its logs are those of the receipts in the asked blocks. */
function chainOf(receipts: Receipt[], over: Partial<Chain> = {}) {
  const asked: [number, number | undefined][] = [];
  const chain = stubChain({
    headBlock: async () => 5_010,
    block: async (number) => (number === "latest" || number > 5_010 ? null : blockOf(number)),
    call: async () => ({ ok: true, data: receipts.length > 0 ? "0x01" : "0x00" }),
    receipt: async (of) => receipts.find((one) => one.hash === of && one.block <= 5_010) ?? null,
    earlyReceipt: async (of) => receipts.find((one) => one.hash === of) ?? null,
    logs: async ({ fromBlock, toBlock }) => {
      asked.push([fromBlock, toBlock]);
      return receipts.flatMap(({ hash: txHash, block, blockHash, logs }): FoundLog[] =>
        block >= fromBlock && block <= (toBlock ?? 5_010) ? [{ ...logs[0]!, txHash, block, blockHash }] : [],
      );
    },
    ...over,
  });
  return { chain, asked };
}
const search = (chain: Chain, hint?: Hex, confirmations = 1) =>
  findSettlement(chain, expected, claim, confirmations, { hint, moved: true });

it("a right hash is found without a search, a wrong one changes nothing", async () => {
  const { chain, asked } = chainOf([
    receiptOf(settling, [used, moved]),
    receiptOf(other, [{ ...moved, logIndex: 9 }], 5_002),
  ]);
  const evidence = await search(chain, settling);
  expect(evidence).toMatchObject({ kind: "settled", serves: true, settlement: { txHash: settling, block: 5_001 } });
  expect(asked).toEqual([]);
  for (const hint of [other, hash("9"), undefined]) expect(await search(chain, hint)).toEqual(evidence);
  expect(asked).toHaveLength(3);
});

it("a hash says nothing before its transaction is in a block, and nothing of one that failed", async () => {
  expect(await search(chainOf([]).chain, settling)).toEqual({ kind: "unused" });
  const failed = { ...receiptOf(settling, [used, moved]), status: "reverted" as const };
  const { chain } = chainOf([failed], { call: async () => ({ ok: true, data: "0x00" }) });
  expect(await search(chain, settling)).toEqual({ kind: "unused" });
});

it("a hash's transaction needs its confirmations like every other", async () => {
  const { chain } = chainOf([receiptOf(settling, [used, moved])]);
  expect(await search(chain, settling, 11)).toMatchObject({
    kind: "shallow",
    early: { serves: true, settlement: { txHash: settling, block: 5_001 } },
  });
  expect(await search(chain, settling, 10)).toMatchObject({ kind: "settled" });
});

it("blocks below the claim are searched after those since it, and only where they may matter", async () => {
  const { chain, asked } = chainOf([receiptOf(settling, [used, moved], 4_000)]);
  expect(await findSettlement(chain, expected, claim, 1, { moved: false })).toEqual({ kind: "unseen" });
  expect(asked).toEqual([[4_996, undefined]]);
  expect(await search(chain)).toMatchObject({ kind: "settled", settlement: { block: 4_000 } });
  expect(asked.slice(1)).toEqual([
    [4_996, undefined],
    [3_196, 4_995],
  ]);
});

it("logs of a chain that was reorganised away prove nothing: the receipt has to show the same", async () => {
  const { chain } = chainOf([receiptOf(settling, [cancelled])]);
  expect(await search(chain)).toEqual({ kind: "spent", reason: "authorization_used" });
  expect(await search(chain, undefined, 11)).toEqual({ kind: "shallow", early: null });
  const gone = { ...chain, receipt: async () => null };
  expect(await search(gone)).toEqual({ kind: "unseen" });
  const changed = { ...chain, receipt: async () => receiptOf(settling, [{ ...moved, logIndex: 1 }]) };
  expect(await search(changed)).toEqual({ kind: "unseen" });
});

it("a preconfirmation is what it says, and never the evidence itself", async () => {
  const early = { ...receiptOf(settling, [used, moved], 5_011), blockHash: hash("0") };
  const { chain } = chainOf([early], { call: async () => ({ ok: true, data: "0x00" }) });
  const settlement = { txHash: settling, block: 5_011, blockHash: hash("0") };
  expect(await search(chain, settling)).toMatchObject({ kind: "shallow", early: { serves: true, settlement } });
  // For a bearer the time counts, and that of a block that is being built is at least its parent's.
  const bearer = (presentedAt: number): RequestClaim => ({
    ...claim,
    sinceBlock: 5_011,
    presentedAt: new Date(presentedAt),
  });
  const asBearer = (at: number) =>
    findSettlement(chain, { ...expected }, { ...bearer(at), payer: other.slice(0, 42) as Address }, 1, {
      ...{ hint: settling, moved: false },
    });
  expect(await asBearer(2 * 5_010 * 1000)).toMatchObject({ kind: "shallow", early: { serves: true } });
  expect(await asBearer(2 * 5_010 * 1000 + 6_000)).toMatchObject({ kind: "shallow", early: { serves: false } });
  const failed = chainOf([{ ...early, status: "reverted" }], { call: async () => ({ ok: true, data: "0x00" }) });
  expect(await search(failed.chain, settling)).toEqual({ kind: "unused" });
  // No parent yet: the node is behind another one of the pool.
  const ahead = { ...chain, earlyReceipt: async () => ({ ...early, block: 5_020 }) };
  expect(await search(ahead, settling)).toEqual({ kind: "shallow", early: null });
});

it("a receipt of another block than the chain's at its height proves nothing", async () => {
  const { chain } = chainOf([receiptOf(settling, [used, moved])], { block: async () => blockOf(5_001, hash("f")) });
  expect(await search(chain, settling)).toEqual({ kind: "shallow", early: null });
});
