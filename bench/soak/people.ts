/** The agents that act in a soak: wallets with keys, the tokens they got, and the money they pay with. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import pLimit from "p-limit";
import { privateKeyToAccount } from "viem/accounts";
import { type AgentWallet, agentWallet, testChain } from "../../harness/agent-wallet.ts";
import { giveUsdc } from "../../harness/give-usdc.ts";
import { jsonRequest } from "../../harness/json-request.ts";
import { payingFetch } from "../../harness/paying-fetch.ts";
import type { DevnetFile } from "../../harness/stack.ts";

/** An agent of ours: what the service calls it, and its credential. */
type Actor = { tokenId: number; signIn: SignIn };
type SignIn = () => Promise<string>;

const MINT_UNITS = 1_000_000n;
/** Four blocks: until no reorganisation takes what was given back with its block. */
const GIVEN_MS = 4_000;
/** How often a client sends the same payment again while the answer is `payment_pending`. */
const MAX_TRIES = 20;
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

/**
 * @param devnet of the running stack
 * @param say gets every answer on the way to the last one
 */
export function population(devnet: DevnetFile, say: (status: number, text: string) => void) {
  const host = new URL(devnet.apiUrl).host;
  const chain = testChain(devnet.rpcUrl);
  const actors: Actor[] = [];
  let turn = 0;
  /** Rich wallets that buy reports in turn, each one at a time, for a nonce is used once. */
  const buyers = devnet.accounts.map(({ privateKey }) => ({
    account: privateKeyToAccount(privateKey),
    alone: pLimit(1),
  }));

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

  return {
    actors,
    anyone: () => actors[Math.floor(Math.random() * actors.length)],
    /** Registers a fresh wallet for a USDC of its own. */
    async mint(): Promise<Response> {
      const wallet = agentWallet({ host });
      const signIn = signingIn(wallet);
      await giveUsdc(chain, wallet.address, MINT_UNITS);
      await wait(GIVEN_MS);
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
    report(tokenId: number): Promise<Response> {
      const { account, alone } = buyers[turn++ % buyers.length]!;
      const url = `${devnet.apiUrl}/api/v2/agent/${tokenId}/cred-report`;
      return alone(() => payingFetch(account, patient)(url));
    },
  };
}
