/** A chain with money on it, the API in its paid phase, a worker that mints, and clients that pay: real ones and a hand-made one. */

import { ExactEvmScheme } from "@x402/evm/exact/client";
import { ExactEvmSchemeV1 } from "@x402/evm/v1";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import {
  type Abi,
  createWalletClient,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  parseAbi,
  parseEther,
} from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { onTestFinished } from "vitest";
import { identityAbi } from "../../../abis/identity.ts";
import { usdcAbi } from "../../../abis/usdc.ts";
import { createLocalFacilitator } from "../../../clients/facilitator-local.ts";
import type { Facilitator } from "../../../clients/ports.ts";
import { createSigner } from "../../../clients/signer.ts";
import { loadConfig } from "../../../config/config.ts";
import { readBuild } from "../../../contracts/builds.ts";
import { siwaText } from "../../../core/callers/signed-texts.ts";
import { type PriceList, standardPrices } from "../../../core/payments/prices.ts";
import { setPrices } from "../../../db/payments/price-list.ts";
import { startAnvil } from "../../../devnet/anvil.ts";
import { deployDevnet, serviceEnv } from "../../../devnet/deploy.ts";
import { agentWallet, testChain } from "../../../harness/agent-wallet.ts";
import { chainAt } from "../../../harness/chain-at.ts";
import { testLog } from "../../../harness/log.ts";
import { plantCheckpoint } from "../../../harness/onchain.ts";
import {
  base64,
  payloadOf,
  type SignedPayment,
  signAuthorization,
  signCancellation,
  type Terms,
} from "../../../harness/payment-signing.ts";
import { until } from "../../../harness/until.ts";
import { runSender } from "../../../workers/transactions/sender.ts";
import { type ApiOptions, HOST, startApi } from "../../api/support/api.ts";

export { base64, type Terms, unbase64 } from "../../../harness/payment-signing.ts";

export type Paying = Awaited<ReturnType<typeof startPaying>>;
export type Payer = ReturnType<typeof agentWallet> & Sender & { privateKey: Hex };
export type PaidApi = Awaited<ReturnType<Paying["api"]>>;
export type PaidApiOptions = ApiOptions & { facilitator?: (real: Facilitator) => Facilitator; mints?: boolean };
type Signing = Pick<PrivateKeyAccount, "address" | "signTypedData">;
type Sender = { client: ReturnType<typeof walletClientOf> };

/** What the tests look at of a payment's row. */
type PaymentRow = {
  payment_id: string;
  state: string;
  method: string;
  tx_hash: Hex | null;
  block_hash: Hex | null;
  reason: string | null;
  credential: unknown;
  final_at: Date | null;
};

/** What its key may have a contract wallet of the tests do. */
export const contractWalletAbi = parseAbi(["function execute(address to, uint256 value, bytes data) returns (bytes)"]);

export const MINT_PRICE = 1_000_000n;
export const REPORT_PRICE = 10_000n;

/** What a client of version 1 sees of an answer: it knows no PAYMENT-REQUIRED, this library's would prefer it. */
const withoutVersion2: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const headers = new Headers(response.headers);
  headers.delete("payment-required");
  return new Response(response.body, { status: response.status, headers });
};

/** The header of a payment made by hand. */
export const paidBy = (signed: SignedPayment) => ({ "payment-signature": base64(payloadOf(signed)) });

/** The data of a transfer of USDC. */
export const transferOf = (to: Hex, units: bigint) =>
  encodeFunctionData({ abi: usdcAbi, functionName: "transfer", args: [to, units] });

const walletClientOf = (url: string, privateKey: Hex) =>
  createWalletClient({ account: privateKeyToAccount(privateKey), chain: base, transport: http(url) });

export async function startPaying() {
  const anvil = await startAnvil();
  const devnet = await deployDevnet(anvil.url);
  const evm = testChain(anvil.url);
  const env = { RPC_URL: anvil.url, ...serviceEnv(devnet) };
  const config = loadConfig({ ...env, DATABASE_URL: "postgres://unused", DATA_DIR: "/nonexistent" });
  const usdc = devnet.contracts.usdc;
  const payTo = config.payments.payTo!;
  const chain = chainAt(anvil.url, config.chain.id);
  const openFacilitator = () =>
    createLocalFacilitator(chain, createSigner(config.payments.facilitator.privateKey!, config.chain.id));
  const rich = devnet.accounts[0]!;
  const walletOf = (privateKey: Hex) => walletClientOf(anvil.url, privateKey);
  const richWallet = walletOf(rich.privateKey);

  /** Calls the token and waits for the block. @returns the receipt */
  async function callToken({ client }: Sender, functionName: string, args: readonly unknown[]) {
    const hash = await client.writeContract({ address: usdc, abi: usdcAbi, functionName, args } as never);
    return evm.waitForTransactionReceipt({ hash });
  }
  /** Sends USDC. @returns the receipt */
  const transfer = (from: Sender, to: Hex, units: bigint) => callToken(from, "transfer", [to, units]);

  const ownerOf = (tokenId: number | bigint) =>
    evm.readContract({
      ...{ address: devnet.contracts.identity, abi: identityAbi, functionName: "ownerOf", args: [BigInt(tokenId)] },
    });
  const balance = (address: Hex) =>
    evm.readContract({ address: usdc, abi: usdcAbi, functionName: "balanceOf", args: [address] });

  /** A fresh wallet with this much USDC. */
  async function payer(units = 10_000_000n): Promise<Payer> {
    const privateKey = generatePrivateKey();
    const wallet = agentWallet({ host: HOST, privateKey });
    if (units > 0n) await transfer({ client: richWallet }, wallet.address, units);
    await evm.setBalance({ address: wallet.address, value: parseEther("1") });
    return { ...wallet, privateKey, client: walletOf(privateKey) };
  }

  /** A contract wallet with money in it (ERC-1271), and the account whose key it signs by. */
  async function contractPayer(units = 10_000_000n) {
    const owner = await payer(0n);
    const { abi, bytecode } = readBuild("ContractWallet");
    const hash = await richWallet.deployContract({ abi: abi as Abi, bytecode, args: [owner.address] });
    const address = (await evm.waitForTransactionReceipt({ hash })).contractAddress!;
    await transfer({ client: richWallet }, address, units);
    const wallet = {
      address: getAddress(address),
      account: { address: getAddress(address), signTypedData: owner.account.signTypedData },
      async siwa(timestamp = Date.now()) {
        const message = siwaText(HOST, getAddress(address), String(timestamp));
        return `Bearer ${getAddress(address)}:${timestamp}:${await owner.account.signMessage({ message })}`;
      },
    };
    return { wallet, owner };
  }

  /** Signs an authorization, as asked unless told otherwise. */
  const authorize = (account: Signing, terms: Terms = {}) =>
    signAuthorization(account, { to: payTo.deployer, value: MINT_PRICE, ...terms });
  /** The same for a report. */
  const authorizeReport = (account: Signing, terms: Terms = {}) =>
    authorize(account, { to: payTo.treasury, value: REPORT_PRICE, ...terms });

  /** The API, paid, with its own database and a sender that mints. `facilitator` wraps the real one. */
  async function api(options: PaidApiOptions = {}) {
    const { facilitator = (real) => real, mints = true, ...rest } = options;
    const started = await startApi({
      chain,
      ...rest,
      env: { ...env, PRICING_PHASE: "paid", ...rest.env },
      deps: { facilitator: facilitator(openFacilitator()), ...rest.deps },
    });
    const { pool } = started.database;
    // Ahead of the chain for ever: nobody waits for an index that is not there.
    await plantCheckpoint(pool, { block: 10_000_000, finalized: 900 });
    const log = testLog();
    let sender: ReturnType<typeof runSender> | undefined;
    const startSender = () => {
      sender = runSender({
        db: pool,
        chain,
        signer: createSigner(config.sender.privateKey!, config.chain.id),
        clock: () => new Date(),
        log,
        fault: () => {},
        config,
        options: { pollMs: 20, idleMs: 50, restMs: 0, rebroadcastMs: 150, stuckAfterMs: 2000, confirmations: 3 },
      });
    };
    if (mints) startSender();

    async function mint(
      wallet: Pick<Payer, "siwa">,
      { headers = {}, body = { name: "Ada" } as object, credential = undefined as string | undefined } = {},
    ) {
      return started.write("POST", "/api/v2/mint", body, {
        authorization: credential ?? (await wallet.siwa()),
        ...headers,
      });
    }
    return {
      ...started,
      pool,
      log,
      mint,
      /** Mints with a payment made by hand. */
      pay: async (wallet: Payer, signed?: SignedPayment, more: Parameters<typeof mint>[1] = {}) =>
        mint(wallet, {
          ...more,
          headers: { ...paidBy(signed ?? (await authorize(wallet.account))), ...more.headers },
        }),
      payments: async () =>
        (await pool.query("select * from offchain.payment order by created_at")).rows as PaymentRow[],
      mints: async () => (await pool.query("select * from offchain.mint order by created_at")).rows,
      setPhase: (phase: "free" | "paid", prices: Partial<PriceList["prices"]> = {}) =>
        setPrices(pool, { phase, prices: { ...standardPrices(phase).prices, ...prices } }),
      /** Where `mints` is false: from now on what is queued is sent. */
      startSender,
      async close() {
        await sender?.stop();
        await started.close();
      },
    };
  }

  return {
    anvil,
    devnet,
    evm,
    chain,
    config,
    usdc,
    payTo,
    ownerOf,
    balance,
    /** What a wallet has paid out of what it had. */
    spent: async ({ address }: { address: Hex }, had = 10_000_000n) => had - (await balance(address)),
    payer,
    /** A wallet with money, and its authorization for a mint. */
    async buyer(terms: Terms = {}) {
      const wallet = await payer();
      return { payer: wallet, signed: await authorize(wallet.account, terms) };
    },
    authorize,
    authorizeReport,
    callToken,
    payload: payloadOf,
    api,
    /** An API that is closed when the test that wants it has ended. */
    async apiForTest(options?: PaidApiOptions) {
      const started = await api(options);
      onTestFinished(() => started.close());
      return started;
    },
    walletOf,
    openFacilitator,
    /** fetch that pays by x402 version 2, or 1. */
    payingFetch: (account: Payer["account"], version: 1 | 2 = 2) => {
      const client = new x402Client().setSpendControls(false);
      if (version === 2) client.register("eip155:8453", new ExactEvmScheme(account));
      else client.registerV1("base", new ExactEvmSchemeV1(account));
      return wrapFetchWithPayment(version === 2 ? fetch : withoutVersion2, client);
    },
    transfer,
    contractPayer,
    /** Cancels an authorization that was not used. */
    cancel: async (by: Payer, nonce: Hex) =>
      callToken(by, "cancelAuthorization", [by.address, nonce, await signCancellation(by.account, nonce)]),
    /** Settles somebody's authorization with another's gas, as anybody may who has seen it. */
    frontRun: (by: Sender, { authorization: a, signature }: SignedPayment) =>
      callToken(by, "transferWithAuthorization", [
        ...[a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce, signature],
      ]),
    until,
    stop: () => anvil.stop(),
  };
}
