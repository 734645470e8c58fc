/** An older state of the offchain tables, restored beside a chain that went on: what was minted meanwhile is not minted again. */
import { createWalletClient, encodeFunctionData, http, parseEther, size, toFunctionSelector } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { expect, it } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { type Mint, type MintRequest, mintById } from "../../db/mints/mints.ts";
import { agentRow, plantCheckpoint, plantRows } from "../../harness/onchain.ts";
import { solanaWallet } from "../../harness/solana-wallet.ts";
import { until } from "../../harness/until.ts";
import { perFile, perTest } from "../support/started.ts";
import { startSending, tokensOf } from "./support/sending.ts";

const TABLES = ["mint", "transaction_outbox", "transaction_attempt", "referral_code", "referral", "profile_field"];
const MINT_FOR = toFunctionSelector("mintFor(address,address,string,string,bool,uint8)");

const on = perFile(startSending);
const desk = perTest(() => on.fresh());

/** Keeps the tables as they are now. @returns puts them back */
async function backup() {
  await desk.db.query(
    `create schema backup; ${TABLES.map((table) => `create table backup.${table} as table offchain.${table}`).join(";")}`,
  );
  return () =>
    desk.db.query(
      `truncate ${TABLES.map((table) => `offchain.${table}`).join(", ")} cascade;
       insert into offchain.mint (${MINT_COLUMNS}) select ${MINT_COLUMNS} from backup.mint;
       ${TABLES.slice(1)
         .map((table) => `insert into offchain.${table} select * from backup.${table}`)
         .join(";")}`,
    );
}
/** All but the one that is generated. */
const MINT_COLUMNS = `mint_id, wallet, solana_address, recipient, name, framework, soulbound, origin, personality, narrative,
  referral_code, fingerprint, state, token_id, tx_hash, block, error, created_at, completed_at, awards_due_at`;

/** Plants what the indexer writes about a token that this service minted. */
async function index(mint: Mint): Promise<void> {
  const { tokenId, recipient, origin, block, txHash } = mint as Mint & { tokenId: number; block: number };
  const place = { tokenId, block, txHash };
  const born = { agentAddress: mint.wallet, owner: recipient, origin, mintTx: txHash, mintedBlock: block };
  await plantRows(desk.db, "agent", [agentRow(tokenId, born)]);
  const transfer = { id: `t${tokenId}`, contract: on.identity, from: `0x${"0".repeat(40)}`, to: recipient, ...place };
  await plantRows(desk.db, "transfer", [{ ...transfer, transferredAt: 1 }]);
  const sent = { hash: txHash, transactionIndex: 0, from: on.signer.address, to: on.identity, selector: MINT_FOR };
  await plantRows(desk.db, "agentTransaction", [{ tokenId, block, ...sent, valueWei: 0n, minedAt: 1 }]);
}

/** Mints these requests, and puts back the tables as they were when they had only been accepted. */
async function mintAndRestore(requests: MintRequest[], restored = requests): Promise<Mint[]> {
  const accepted = await Promise.all(restored.map((request) => desk.accept(request)));
  const restore = await backup();
  if (requests.length < restored.length)
    await desk.db.query("delete from offchain.transaction_outbox where intent_key <> all($1)", [
      accepted.slice(0, requests.length).map(({ mintId }) => `mint:${mintId}`),
    ]);
  const sender = desk.send();
  const minted: Mint[] = [];
  for (const { mintId } of accepted.slice(0, requests.length)) minted.push(await desk.decided(mintId));
  await sender.stop();
  await restore();
  for (const { mintId } of accepted) expect((await mintById(desk.db, mintId))?.state).toBe("pending");
  return minted;
}
const nonce = () => on.chain.nonce(on.signer.address, "latest");

it("the index has the token: the registration ends as done with it, and no second one is minted", async () => {
  const [minted] = await mintAndRestore([desk.request({ narrative: { origin: "Somerset" } })]);
  await index(minted!);
  const before = await nonce();
  desk.send();
  const again = await desk.decided(minted!.mintId);
  const { tokenId, txHash, block } = minted!;
  expect(again).toMatchObject({ state: "minted", tokenId, txHash, block });
  expect(await tokensOf(on, minted!.wallet)).toEqual([minted!.tokenId]);
  expect(await nonce()).toBe(before);
  const fields = await desk.rows("select value from offchain.profile_field where token_id = $1", [tokenId]);
  expect(fields).toEqual([{ value: "Somerset" }]);
  // Those that come afterwards are minted as ever.
  const next = await desk.accept(desk.request());
  expect(await desk.decided(next.mintId)).toMatchObject({ state: "minted" });
});

it("the index lags behind the token: the chain is asked", async () => {
  const [minted] = await mintAndRestore([desk.request()]);
  await plantCheckpoint(desk.db, { block: minted!.block! - 1, finalized: 1 });
  desk.send();
  expect(await desk.decided(minted!.mintId)).toMatchObject({ state: "minted", tokenId: minted!.tokenId });
  expect(await tokensOf(on, minted!.wallet)).toEqual([minted!.tokenId]);
});

it("the index is too far behind for the chain to be asked: nothing is minted until it has caught up", async () => {
  const { mintId, wallet } = await desk.accept(desk.request());
  await plantCheckpoint(desk.db, { block: 1, finalized: 1 });
  desk.send({}, { headBlock: async () => 12_000 });
  await until("it says so", () => desk.log.lines.some((line) => line.includes("the index is too far behind")));
  expect(await tokensOf(on, wallet)).toEqual([]);
  await plantCheckpoint(desk.db, { block: 100_000, finalized: 1 });
  expect(await desk.decided(mintId)).toMatchObject({ state: "minted" });
});

it("its nonce was lost with the backup, and its first bytes were replaced: found all the same", async () => {
  const request = desk.request();
  const { mintId, wallet } = await desk.accept(request);
  // Signed, never broadcast; then restored, and what the chain has is the replacement that the backup does not know.
  const held = desk.send({}, { send: async () => ({ kind: "accepted" }) });
  await until("it is signed", async () => (await desk.intent(`mint:${mintId}`)).state === "signed");
  await held.stop();
  const restore = await backup();
  await desk.db.query(
    "delete from offchain.transaction_attempt; update offchain.transaction_outbox set state = 'queued', nonce = null",
  );
  const sender = desk.send({ maxTipPerGasWei: 3_000_000n });
  const minted = await desk.decided(mintId);
  await sender.stop();
  await restore();
  await index(minted);
  await on.evm.mine({ blocks: 5 });
  desk.send();
  expect(await desk.decided(mintId)).toMatchObject({ state: "minted", tokenId: minted.tokenId });
  expect(await tokensOf(on, wallet)).toEqual([minted.tokenId]);
});

it("of two Solana keys that name one receiver and one name, each gets its own token", async () => {
  const [one, two] = [await solanaWallet(), await solanaWallet()];
  const receiver = desk.request().wallet;
  const named = (solanaAddress: string) =>
    desk.request({ wallet: receiver, recipient: receiver, solanaAddress, origin: 2 });
  const requests = [named(two.address), named(one.address)];
  const [minted] = await mintAndRestore([requests[0]!], requests);
  await index(minted!);
  desk.send();
  const [{ mint_id }] = await desk.rows("select mint_id from offchain.mint where solana_address = $1", [one.address]);
  expect(await desk.decided(minted!.mintId)).toMatchObject({ state: "minted", tokenId: minted!.tokenId });
  const other = await desk.decided(mint_id);
  expect(other.state).toBe("minted");
  expect(other.tokenId).not.toBe(minted!.tokenId);
  expect((await tokensOf(on, receiver)).length).toBe(2);
});

it("a token that somebody else minted and that names the wallet is not its registration", async () => {
  const request = desk.request();
  const squatter = privateKeyToAccount(generatePrivateKey());
  await on.evm.setBalance({ address: squatter.address, value: parseEther("2") });
  const client = createWalletClient({ account: squatter, chain: base, transport: http(on.rpcUrl) });
  const call = { address: on.identity, abi: identityAbi, functionName: "mint", value: parseEther("0.5") } as const;
  const hash = await client.writeContract({ ...call, args: [request.wallet, request.name, "custom", false] });
  const receipt = await on.evm.waitForTransactionReceipt({ hash });
  await plantCheckpoint(desk.db, { block: Number(receipt.blockNumber) - 1, finalized: 1 });
  const { mintId } = await desk.accept(request);
  desk.send();
  const minted = await desk.decided(mintId);
  expect(minted.state).toBe("minted");
  expect((await tokensOf(on, request.wallet)).length).toBe(2);
  expect(minted.txHash).not.toBe(hash);
});

/** Runtime code that makes one call, whatever it is sent, and takes tokens (`onERC721Received`). */
function relayCode(to: Address, call: Hex): Hex {
  const length = size(call).toString(16).padStart(4, "0");
  const received = "150b7a02";
  const isReceived = `60003560e01c63${received}14603b57`;
  const forward = `61${length}61004c6000396000600061${length}60003473${to.slice(2)}5af15000`;
  const answer = `5b63${received}60e01b60005260206000f3`;
  return `0x${isReceived}${forward}${answer}${call.slice(2)}`;
}

it("a stranger's transaction with the very same calldata, to a contract of its own, is not its registration", async () => {
  const stranger = privateKeyToAccount(generatePrivateKey());
  const client = createWalletClient({ account: stranger, chain: base, transport: http(on.rpcUrl) });
  await on.evm.setBalance({ address: stranger.address, value: parseEther("4") });
  /** Registers the wallet of a request under a name, by a transaction that looks like ours. @returns its receipt */
  async function imitate(accepted: Mint, name: string) {
    const args = [accepted.wallet as Address, name, "custom", false] as const;
    const relay = privateKeyToAccount(generatePrivateKey()).address;
    const call = encodeFunctionData({ abi: identityAbi, functionName: "mint", args });
    await on.evm.setCode({ address: relay, bytecode: relayCode(on.identity, call) });
    const sql = "select data from offchain.transaction_outbox where intent_key = $1";
    const [{ data }] = await desk.rows(sql, [`mint:${accepted.mintId}`]);
    const hash = await client.sendTransaction({ to: relay, data, value: parseEther("0.5"), gas: 3_000_000n });
    return on.evm.waitForTransactionReceipt({ hash });
  }
  const [one, two] = [await desk.accept(desk.request()), await desk.accept(desk.request())];
  const receipts = [await imitate(one, "Another name"), await imitate(two, two.name)];
  for (const wallet of [one.wallet, two.wallet]) expect((await tokensOf(on, wallet)).length).toBe(1);
  await plantCheckpoint(desk.db, { block: Number(receipts[0]!.blockNumber) - 1, finalized: 1 });
  desk.send();
  for (const [i, { mintId, wallet }] of [one, two].entries()) {
    const minted = await desk.decided(mintId);
    expect([minted.state, minted.txHash === receipts[i]!.transactionHash]).toEqual(["minted", false]);
    expect((await tokensOf(on, wallet)).length).toBe(2);
  }
});
