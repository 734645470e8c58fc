/** A local Tempo, the service's side of MPP on it, and customers who pay with the real client. */
import { Challenge, Receipt } from "mppx";
import { Mppx, tempo as tempoMethods } from "mppx/client";
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { Actions } from "viem/tempo";
import { createMpp } from "../clients/mpp.ts";
import type { Chain, Mpp } from "../clients/ports.ts";
import { startAnvil } from "../devnet/anvil.ts";
import { deployTempo, giveUsdce, openTempo, TEMPO, tempoEnv } from "../devnet/tempo.ts";
import { agentWallet } from "./agent-wallet.ts";
import { chainAt } from "./chain-at.ts";

export { Challenge, Receipt };

/** The service's host in tests that name none. */
const HOST = "agents.test";

export type Tempo = Awaited<ReturnType<typeof startTempo>>;
export type Customer = Awaited<ReturnType<typeof tempoCustomer>>;

export async function startTempo() {
  const anvil = await startAnvil({ network: "tempo" });
  await deployTempo(anvil.url);
  const node = openTempo(anvil.url);
  const chain = chainAt(anvil.url, TEMPO.chainId);

  /** The service's side. `wrap` may change what the node answers. */
  const mpp = (wrap: (chain: Chain) => Chain = (same) => same): Mpp =>
    createMpp({
      chain: wrap(chain),
      currency: TEMPO.usdce.toLowerCase() as Hex,
      realm: HOST,
      confirmations: 1,
      secretKey: tempoEnv().MPP_SECRET_KEY,
    });

  /** A wallet with this much USDC.e, fresh unless given: the local node mines one transaction with an expiring nonce of each. */
  const customer = (units?: bigint, who?: { privateKey?: Hex; host?: string }) => tempoCustomer(anvil.url, units, who);

  const balance = async (account: Hex): Promise<bigint> =>
    (await Actions.token.getBalance(node, { token: TEMPO.usdce, account })).amount;

  return { anvil, node, chain, mpp, customer, balance, stop: () => anvil.stop() };
}

/** A wallet with this much USDC.e on a local Tempo, fresh unless given, that pays with the real client. */
export async function tempoCustomer(
  rpcUrl: string,
  units = 10_000_000n,
  { privateKey = generatePrivateKey(), host = HOST }: { privateKey?: Hex; host?: string } = {},
) {
  const account = privateKeyToAccount(privateKey);
  if (units > 0n) await giveUsdce(rpcUrl, account.address, units);
  const client = openTempo(rpcUrl, account);
  const paying = (mode: "pull" | "push", given: typeof fetch = fetch) =>
    Mppx.create({
      methods: [tempoMethods.charge({ account, mode, getClient: () => client as never })],
      polyfill: false,
      fetch: given,
    });
  return {
    ...agentWallet({ host, privateKey }),
    account,
    client,
    /** fetch of mppx. */
    fetch: (mode: "pull" | "push" = "pull", given?: typeof fetch) => paying(mode, given).fetch,
    /** Answers a challenge without sending the answer; push has then paid already. */
    async answer(response: Response, mode: "pull" | "push" = "pull"): Promise<string> {
      if (response.status !== 402) throw new Error(`no challenge, but ${response.status}: ${await response.text()}`);
      return (await paying(mode).preparePayment(response)).createCredential();
    },
  };
}

/** What a credential says, its request still encoded. */
type Said = { challenge: Record<string, string>; payload: object; source?: string };

/** What a credential says, changed, as the same text again. */
export function changed(credential: string, change: (said: Said) => void): string {
  const said = JSON.parse(Buffer.from(credential.replace(/^Payment /, ""), "base64url").toString());
  change(said);
  return `Payment ${Buffer.from(JSON.stringify(said)).toString("base64url")}`;
}
