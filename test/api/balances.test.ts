/** Balances of wallets: one multicall against a real chain, remembered for a minute, absent in an outage. */
import { createWalletClient, http, parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { neynarScoresAbi } from "../../abis/neynar-scores.ts";
import { networksOf } from "../../api/http/client-network.ts";
import { balanceCache } from "../../api/services/contract-facts.ts";
import type { Chain } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import type { Who } from "../../core/callers/shares.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { type Devnet, deployDevnet } from "../../devnet/deploy.ts";
import { testChain } from "../../harness/agent-wallet.ts";
import { chainAt } from "../../harness/chain-at.ts";
import { stubChain } from "../../harness/stub-chain.ts";
import { perFile } from "../support/started.ts";
import { allowances } from "./support/allowances.ts";

const UNKNOWN = { eth: null, usdc: null, linkedToken: null, neynarScore: null };
const known = (eth: string, usdc: string, linkedToken: object | null = null) => ({
  ...UNKNOWN,
  eth,
  usdc,
  linkedToken,
});
const limits = allowances();
const READER = networksOf("127.0.0.1");
const lower = (address: string) => address.toLowerCase() as Address;
const contractsOf = ({ contracts }: Pick<Devnet, "contracts">) => ({
  usdc: lower(contracts.usdc),
  neynarScores: lower(contracts.neynarScores),
});
const CONTRACTS = { usdc: `0x${"aa".repeat(20)}`, neynarScores: `0x${"bb".repeat(20)}` } as const;
let now = 1_000_000;
beforeEach(() => {
  now += 1_000_000;
});

describe("on a chain", () => {
  const anvil = perFile(startAnvil);
  let devnet: Devnet;
  let memory: ReturnType<typeof balanceCache>;
  let calls = 0;
  beforeAll(async () => {
    devnet = await deployDevnet(anvil.url);
    const chain = chainAt(anvil.url);
    const counted: Pick<Chain, "call"> = {
      call(call) {
        calls++;
        return chain.call(call);
      },
    };
    memory = balanceCache(counted, limits, contractsOf(devnet), () => now);
  });

  const chainClient = () => testChain(anvil.url);

  it("ETH, USDC and a linked token are decimal strings", async () => {
    const wallet = lower(devnet.accounts[0]!.address);
    expect(await memory.of(wallet, null, READER)).toEqual(known("100", "1000"));
    await chainClient().setBalance({ address: wallet, value: parseEther("0.000000000000000001") });
    const token = lower(devnet.contracts.serviceToken);
    expect(await memory.of(wallet, token, READER)).toEqual(
      known("0.000000000000000001", "1000", { amount: expect.stringMatching(/^\d+(\.\d+)?$/), decimals: 18 }),
    );
    expect(await memory.of("0x00000000000000000000000000000000000000f1", token, READER)).toEqual(
      known("0", "0", { amount: "0", decimals: 18 }),
    );
  });

  it("what is linked but is no token has no balance, and harms the others not", async () => {
    const wallet = lower(devnet.accounts[1]!.address);
    const endless = "0x00000000000000000000000000000000000000e1";
    // JUMPDEST PUSH1 0 JUMP: burns whatever gas it is given.
    await chainClient().setCode({ address: endless, bytecode: "0x5b600056" });
    for (const linked of ["0x00000000000000000000000000000000000000f2", devnet.contracts.identity, endless])
      expect(await memory.of(wallet, lower(linked), READER)).toEqual(known("100", "1000"));
  });

  it.each([
    [0, null],
    [1, 0.000_001],
    [870_000, 0.87],
    [1_000_000, 1],
    [1_000_001, null],
    [2 ** 24 - 1, null],
  ])("come with Neynar's score of the wallet: %d of its contract is %s", async (units, score) => {
    const wallet = lower(devnet.accounts[4]!.address);
    const client = createWalletClient({
      account: privateKeyToAccount(devnet.keys.attester),
      chain: base,
      transport: http(anvil.url),
    });
    const scores = { address: devnet.contracts.neynarScores!, abi: neynarScoresAbi } as const;
    const hash = await client.writeContract({ ...scores, functionName: "setScore", args: [wallet, units] });
    await chainClient().waitForTransactionReceipt({ hash });
    now += 60_000;
    expect(await memory.of(wallet, null, READER)).toMatchObject({ eth: "100", neynarScore: score });
  });

  it("are asked for once by many, and again after a minute", async () => {
    const wallet = lower(devnet.accounts[2]!.address);
    const before = calls;
    const all = await Promise.all(Array.from({ length: 20 }, () => memory.of(wallet, null, READER)));
    expect(new Set(all.map(({ eth }) => eth))).toEqual(new Set(["100"]));
    await chainClient().setBalance({ address: wallet, value: 0n });
    now += 59_999;
    expect((await memory.of(wallet, null, READER)).eth).toBe("100");
    expect(calls).toBe(before + 1);
    now += 1;
    expect((await memory.of(wallet, null, READER)).eth).toBe("0");
    expect(calls).toBe(before + 2);
  });
});

describe("without a chain", () => {
  const wallet = "0x00000000000000000000000000000000000000aa";

  it("they are null, and an outage is asked about again after two seconds", async () => {
    let calls = 0;
    const chain = stubChain();
    const away = chain.call;
    chain.call = (call) => {
      calls++;
      return away(call);
    };
    const memory = balanceCache(chain, limits, CONTRACTS, () => now);
    for (let i = 0; i < 5; i++) expect(await memory.of(wallet, null, READER)).toEqual(UNKNOWN);
    expect(calls).toBe(1);
    now += 2_000;
    expect(await memory.of(wallet, null, READER)).toEqual(UNKNOWN);
    expect(calls).toBe(2);
  });

  it("one reader's many wallets do not use up the nodes", async () => {
    let calls = 0;
    const chain = stubChain({
      async call() {
        calls++;
        return { ok: false, data: null, reason: "burnt" };
      },
    });
    const memory = balanceCache(chain, allowances({ "chain-reads": 100 }), CONTRACTS, () => now);
    const ask = async (reader: Who, times: number) => {
      const before = calls;
      for (let i = 0; i < times; i++)
        expect(await memory.of(`0x${generatePrivateKey().slice(2, 42)}`, null, reader)).toEqual(UNKNOWN);
      // A call that fails is made again without the contracts of others.
      return (calls - before) / 2;
    };
    expect(await ask(networksOf("9.9.9.1"), 20)).toBe(5);
    // The /64s of one /48 have the share of four clients, those of a /32 a third of all.
    let ofSite = 0;
    for (let i = 0; i < 40; i++) ofSite += await ask(networksOf(`2001:db8:1:${i.toString(16)}::1`), 5);
    expect(ofSite).toBe(20);
    let ofProvider = ofSite;
    for (let i = 2; i < 40; i++) ofProvider += await ask(networksOf(`2001:db8:${i.toString(16)}::1`), 5);
    expect(ofProvider).toBe(33);
    expect(await ask(networksOf("8.8.8.8"), 20)).toBe(5);
    for (let i = 0; i < 40; i++) await ask(networksOf(`${i + 20}.0.0.1`), 5);
    expect(await ask(networksOf("8.8.4.4"), 20)).toBe(0);
    expect(await ask("api-key:good", 30)).toBe(20);
  });

  it("a refusal is the reader's alone: another's read of the same wallet is answered", async () => {
    let calls = 0;
    const chain = stubChain({
      async call() {
        calls++;
        return { ok: true, data: "0x" };
      },
    });
    const memory = balanceCache(chain, allowances({ "chain-reads": 20 }), CONTRACTS, () => now);
    await memory.of(CONTRACTS.usdc, null, networksOf("9.9.9.1"));
    await memory.of(wallet, null, networksOf("9.9.9.1"));
    expect(calls).toBe(1);
    await memory.of(wallet, null, networksOf("9.9.9.2"));
    expect(calls).toBe(2);
  });

  it("a chain that does not answer is not waited for", async () => {
    const memory = balanceCache(stubChain({ call: () => new Promise(() => {}) }), limits, CONTRACTS, () => now);
    expect(await memory.of(wallet, null, READER)).toEqual(UNKNOWN);
  });

  it("a chain without Multicall3 tells nothing", async () => {
    const memory = balanceCache(
      stubChain({ call: async () => ({ ok: true, data: "0x" }) }),
      limits,
      CONTRACTS,
      () => now,
    );
    expect(await memory.of(wallet, null, READER)).toEqual(UNKNOWN);
  });

  it("a linked token that spoils the whole call is left out", async () => {
    const linked = "0x00000000000000000000000000000000000000ee";
    const asked: boolean[] = [];
    const chain = stubChain({
      async call({ data }) {
        asked.push(data.includes(linked.slice(2)));
        return { ok: false, data: null, reason: "out of gas" };
      },
    });
    expect(await balanceCache(chain, limits, CONTRACTS, () => now).of(wallet, linked, READER)).toEqual(UNKNOWN);
    expect(asked).toEqual([true, false]);
  });
});
