/** The agents that act in a soak: wallets with keys, the tokens they got, and the money they pay with. */
import { randomUUID } from "node:crypto";
import { createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { usdcAbi } from "../../abis/usdc.ts";
import { CANONICAL } from "../../devnet/chain-addresses.ts";
import { type AgentWallet, agentWallet, testChain } from "../../harness/agent-wallet.ts";
import { usdcOf } from "../../harness/give-usdc.ts";
import { jsonRequest } from "../../harness/json-request.ts";
import { payingFetch } from "../../harness/paying-fetch.ts";
import type { DevnetFile } from "../../harness/stack.ts";

/** An agent of ours: what the service calls it, and its credential. */
type Actor = { tokenId: number; signIn: SignIn };
type SignIn = () => Promise<string>;

const MINT_UNITS = 1_000_000n;
/** How often a client sends the same payment again while the answer is `payment_pending`. */
const MAX_TRIES = 20;
const RECEIPT_MS = 5_000;
/** For one request. Registering and paying take several, and may come back many times. */
const ANSWER_MS = 60_000;
/** A credential is valid for an hour: an actor signs in again after half an hour, not for each request. */
const SIGNED_IN_MS = 1_800_000;

/** @throws DOMException `TimeoutError` when the whole answer is not there in time */
export const fetchInTime: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });

function signingIn(wallet: AgentWallet): SignIn {
  let credential = wallet.siwa();
  let at = performance.now();
  return () => {
    if (performance.now() - at > SIGNED_IN_MS) [credential, at] = [wallet.siwa(), performance.now()];
    return credential;
  };
}

export type People = ReturnType<typeof population>;

/** A soak that ended before a request of it was sent. */
export class NotSent extends Error {}

/**
 * @param devnet of the running stack
 * @param say gets every answer on the way to the last one
 * @param ending aborted when the soak ends: from then on no wallet is given money, and `mint` throws NotSent
 */
export function population(devnet: DevnetFile, say: (status: number, text: string) => void, ending: AbortSignal) {
  const host = new URL(devnet.apiUrl).host;
  const chain = testChain(devnet.rpcUrl);
  const actors: Actor[] = [];
  let turn = 0;
  /** Rich wallets in turn; each does one thing at a time, for a nonce is used once. */
  const rich = devnet.accounts.map(({ privateKey }) => ({
    account: privateKeyToAccount(privateKey),
    client: createWalletClient({
      ...{ account: privateKeyToAccount(privateKey), chain: base, transport: http(devnet.rpcUrl) },
    }),
    busy: Promise.resolve() as Promise<unknown>,
  }));
  const next = () => rich[turn++ % rich.length]!;
  const inTurn = <T>(of: (typeof rich)[number], work: () => Promise<T>): Promise<T> => {
    const done = of.busy.then(work, work);
    of.busy = done.catch(() => {});
    return done;
  };

  /** Comes back with the very same payment until it is decided, as the service asks its clients to. */
  const patient: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    for (let tries = 1; ; tries++) {
      const response = await fetchInTime(request.clone());
      if (response.status !== 503 || tries === MAX_TRIES) return response;
      const text = await response.text();
      say(response.status, text);
      if (!text.includes("payment_pending")) return new Response(text, { status: 503, headers: response.headers });
      await new Promise((done) => setTimeout(done, 1_000));
    }
  };

  /** Gives a wallet what a registration costs. A reorganisation may take the transfer back: then once more. */
  async function give(client: (typeof rich)[number]["client"], to: Hex): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (ending.aborted) throw new NotSent();
      if ((await usdcOf(chain, to)) >= MINT_UNITS) return;
      const call = { address: CANONICAL.usdc, abi: usdcAbi, functionName: "transfer", args: [to, MINT_UNITS] } as const;
      const hash = await client.writeContract(call);
      await chain.waitForTransactionReceipt({ hash, timeout: RECEIPT_MS }).catch(() => {});
    }
  }

  return {
    actors,
    anyone: () => actors[Math.floor(Math.random() * actors.length)],
    /** Registers a fresh wallet for a USDC of its own, which a rich one gives it. */
    async mint(): Promise<Response> {
      const wallet = agentWallet({ host });
      const signIn = signingIn(wallet);
      const giver = next();
      await inTurn(giver, () => give(giver.client, wallet.address));
      const body = { name: `Soak ${wallet.address.slice(2, 10)}`, framework: "custom" };
      const headers = { authorization: await signIn(), "idempotency-key": randomUUID() };
      const pays = payingFetch(wallet.account, patient);
      const response = await pays(`${devnet.apiUrl}/api/v2/mint`, jsonRequest("POST", body, headers));
      if (response.status === 201) {
        const { tokenId } = (await response.clone().json()) as { tokenId: number };
        actors.push({ tokenId, signIn });
      }
      return response;
    },
    /** Buys a cred report by signature. */
    report: (tokenId: number): Promise<Response> => {
      const buyer = next();
      return inTurn(buyer, () =>
        payingFetch(buyer.account, patient)(`${devnet.apiUrl}/api/v2/agent/${tokenId}/cred-report`),
      );
    },
  };
}
