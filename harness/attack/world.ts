/** A running stack under protective limits, the wallets that act on it, and everything outside that they can plant. */
import { type Abi, encodeDeployData, type Hex, keccak256, parseEther, parseGwei } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { DEFAULT_LIMITS } from "../../config/limits.ts";
import { VARIABLES } from "../../config/variables.ts";
import { readBuild } from "../../contracts/builds.ts";
import { openPool } from "../../db/sql/connect.ts";
import { rpc } from "../../devnet/anvil-process.ts";
import { CANONICAL } from "../../devnet/chain-addresses.ts";
import { limitsText } from "../../devnet/generous-rates.ts";
import { fileUri, registering } from "../../devnet/seed-onchain.ts";
import { openTempo, TEMPO } from "../../devnet/tempo.ts";
import { siwaBy } from "../agent-wallet.ts";
import { openTreasury, type Treasury } from "../books.ts";
import { withClosers } from "../closers.ts";
import { giveUsdc } from "../give-usdc.ts";
import { type ChainClient, type LoadWallet, loadWalletOf, openChainClient } from "../payment-load/wallets.ts";
import { randomOf } from "../random.ts";
import { controlOf } from "../simulator-control.ts";
import { type Stack, startStack } from "../stack.ts";
import { type Call, sendingOn, signCall } from "../transactions.ts";
import { until } from "../until.ts";
import { type Client, clientOn } from "./client.ts";
import { plantedRegistries } from "./planted.ts";
import { startReceivers } from "./receivers.ts";

export type Phase = "free" | "paid";
export type World = Awaited<ReturnType<typeof openWorld>>;

export const MINT_UNITS = 1_000_000n;
export const REPORT_UNITS = 10_000n;
/** What the contract asks from who registers by a transaction of its own. */
const DIRECT_MINT_WEI = 2_500_000_000_000_000n;
/** Gas of a hostile transaction; most of it comes back. */
const MAX_GAS = 25_000_000n;
const TEMPO_BLOCK_MS = 500;

/** Explicit payees, none of them built in: where the service's money is to go, and nowhere else. */
const PAYEES = {
  deployer: `0x${"d0".repeat(19)}01`,
  treasury: `0x${"d0".repeat(19)}02`,
} as const;

/** The local chain's base fee is some hundred times that of Base, and so is a day's budget. */
const BUDGET_MILLIETHER = 500;

/** Everything of the stack's environment that is not its default. */
export const settingsOf = (phase: Phase) => ({
  // The service's own: the local stack sets generous ones.
  LIMITS: limitsText(DEFAULT_LIMITS),
  PRICING_PHASE: phase,
  PAY_TO_DEPLOYER: PAYEES.deployer,
  PAY_TO_TREASURY: PAYEES.treasury,
  // Everybody comes through this proxy, which names the network of each.
  TRUSTED_PROXIES: "127.0.0.1",
  PULL_INTERVAL: "10s",
  // A day's pace is made for a day: payments of minutes are asked about here.
  DAILY_BUDGETS: "income-requests=200000",
  TX_DAILY_BUDGET_MILLIETHER: String(BUDGET_MILLIETHER),
  // The stack's identity provider is a simulator; with Privy this is the default.
  IDP_REQUIRED_CLAIMS: "sid",
  LOG_LEVEL: "info",
});

/** @param say gets progress */
export const openWorld = ({ seed, phase, say }: { seed: number; phase: Phase; say: (line: string) => void }) =>
  withClosers(async (later, close) => {
    say(`the stack starts in phase ${phase}`);
    const stack: Stack = await startStack({ env: settingsOf(phase) });
    later(() => stack.remove());
    const { devnet } = stack;
    const { tempoRpcUrl: tempoUrl } = devnet;
    // The clock of that chain goes on with its blocks only, and credentials run out by it.
    const ticks = setInterval(() => void rpc(tempoUrl, "evm_mine").catch(() => {}), TEMPO_BLOCK_MS);
    later(() => clearInterval(ticks));
    const db = openPool({ connectionString: devnet.databaseUrl, max: 2 });
    later(() => db.end());
    const receivers = await startReceivers();
    later(() => receivers.close());

    const chainClient = openChainClient(devnet.rpcUrl);
    const { chain } = chainClient;
    const apiUrl = `http://127.0.0.1:${new URL(devnet.apiUrl).port}`;
    const host = new URL(devnet.apiUrl).host;
    const ending = new AbortController();
    const clients = new Map<string, Client>();
    let made = 0;

    const client = (network: string): Client => {
      const known = clients.get(network) ?? clientOn(apiUrl, network);
      clients.set(network, known);
      return known;
    };

    const accounts = accountsOn(chainClient, seed, host);
    const { wallet, send } = accounts;
    const payees = PAYEES as Record<"deployer" | "treasury", Hex>;
    const base: Treasury = await openTreasury(chain, CANONICAL.usdc, payees);
    const mpp: Treasury = await openTreasury(openTempo(tempoUrl), TEMPO.usdce, payees);
    const canonical: string[] = [];
    const builtIn = {
      deployer: privateKeyToAddress(devnet.keys.deployer),
      treasury: privateKeyToAddress(devnet.keys.treasury),
    };
    return {
      ...{ seed, phase, stack, devnet, tempoUrl, db, chainClient, chain, host, apiUrl, payees, base, mpp, builtIn },
      ...{ receivers, say, later },
      ...accounts,
      identity: devnet.contracts.identity!,
      registries: plantedRegistries(devnet.simulatorUrl, seed),
      /** What the account that sends the service's transactions had, and what it may spend in a run. */
      senderWei: await chain.getBalance({ address: builtIn.deployer }),
      mostWei: parseEther(String(BUDGET_MILLIETHER / 1000)),
      mostTipWei: parseGwei(VARIABLES.TX_MAX_TIP_GWEI.default!),
      /** Aborts when the play is over. */
      ending,
      /** Wallets of honest people, known to everybody before they register. */
      upcoming: [] as Hex[],
      /** A name that no other play of this run has. */
      fresh: (what: string) => `${what} ${++made}`,
      client,
      /** Waits until a path is answered, by a client of nobody's network. */
      shows: (path: string) =>
        until(`${path} is answered`, async () => (await client("10.8.0.2").get(path)).status === 200),
      /** Agents of attackers in the canonical registry whose own money went round. */
      loops: [] as bigint[],
      /** Names of sound agents of the canonical ERC-8004 registry. */
      canonical,
      /** Registers a sound agent in the canonical ERC-8004 registry, with its file in the URI. */
      async registerCanonical(): Promise<void> {
        const owner = await wallet(`canonical ${++made}`);
        const name = `Canonical ${seed % 1000} ${made}`;
        await send(owner, { ...registering(fileUri({ name })), gas: 2_000_000n });
        canonical.push(name);
      },
      directMintWei: DIRECT_MINT_WEI,
      /** Changes what a simulated service says. */
      control: controlOf(devnet.simulatorUrl),
      random: (of: string) =>
        randomOf(Number(BigInt(keccak256(`0x${Buffer.from(`${seed} ${of}`).toString("hex")}`)) & 0x7fffffffn)),
      close,
    };
  });

export type Burns = { receiveGas?: bigint; signGas?: bigint; onlyWhenSent?: boolean };

/** Who acts on the chain: wallets, and contracts that they deploy. */
function accountsOn(chainClient: ChainClient, seed: number, host: string) {
  const { chain } = chainClient;

  /** A wallet with gas, and this much USDC; the same name is the same wallet. */
  async function wallet(name: string, units = 0n): Promise<LoadWallet> {
    const wallet = loadWalletOf(seed, name, host);
    await chain.setBalance({ address: wallet.address, value: parseEther("10") });
    if (units > 0n) await giveUsdc(chain, wallet.address, units);
    return wallet;
  }

  /** Sends a transaction. @returns its hash at once */
  async function push(from: LoadWallet, call: Call): Promise<Hex> {
    const { raw, hash } = await signCall(from.account, from.sent++, { gas: MAX_GAS, ...call });
    await chainClient.push(raw);
    return hash;
  }
  const mined = (hash: Hex) => chain.waitForTransactionReceipt({ hash, timeout: 60_000 });
  const send = async (from: LoadWallet, call: Call) => mined(await push(from, call));

  /** Deploys a committed contract. @returns its address, or undefined when the chain did not take it */
  async function deploy(from: LoadWallet, contract: string, args: unknown[]): Promise<Hex | undefined> {
    const { abi, bytecode } = readBuild(contract);
    const data = encodeDeployData({ abi: abi as Abi, bytecode, args });
    const { contractAddress } = await send(from, { data, gas: 3_000_000n });
    return contractAddress ?? undefined;
  }

  /** A contract wallet that burns gas; it signs by its key. */
  async function contractWallet(name: string, { receiveGas = 0n, signGas = 0n, onlyWhenSent = false }: Burns) {
    const owner = await wallet(name);
    const address = await deploy(owner, "HostileWallet", [owner.address, receiveGas, signGas, onlyWhenSent]);
    if (!address) throw new Error("the hostile wallet was not deployed");
    return {
      address,
      owner,
      account: { address, signTypedData: owner.account.signTypedData },
      siwa: (timestamp?: number | string) => siwaBy({ ...owner.account, address }, host, timestamp),
    };
  }

  return { wallet, push, mined, send, deploy, contractWallet, inTurn: sendingOn(chain) };
}
