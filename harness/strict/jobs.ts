/** What the service must do on every profile: register agents, take a payment, and end a settlement that a crash cut. */
import { type Hex, parseEther } from "viem";
import { identityAbi } from "../../abis/identity.ts";
import { agentWallet } from "../agent-wallet.ts";
import { giveUsdc, usdcOf } from "../give-usdc.ts";
import { jsonRequest } from "../json-request.ts";
import { base64, payloadOf, signAuthorization } from "../payment-signing.ts";
import { countOf, OPEN } from "../under-way.ts";
import { until } from "../until.ts";
import type { StrictWorld } from "./world.ts";

type Wallet = ReturnType<typeof agentWallet>;
type Minted = { tokenId: number; txHash: Hex; block: number };

/** Registrations at once: more than one JSON-RPC batch of the strictest endpoint has room for. */
const AGENTS = 12;
const PRICE = 1_000_000n;
/** An agent with nothing but its registration: activity 20, origin 10. */
const FIRST_SCORE = 30;
const ARMED_API_WAIT = { timeoutMs: 180_000, everyMs: 250 };

/** Agents register by wallet signature at the same time; each is on the chain, readable, and scored. */
export async function mainJob(world: StrictWorld): Promise<void> {
  await Promise.all(
    Array.from({ length: AGENTS }, async (_, number) => {
      const wallet = agentWallet({ host: world.host });
      const minted = await mint(world.urls.api, wallet, `Agent ${number}`);
      await isThere(world, wallet, minted);
    }),
  );
}

/** A registration with its price, paid by x402 through the API's own facilitator; charged once. */
export async function paidMint(world: StrictWorld): Promise<void> {
  const { wallet, payment } = await payer(world);
  await charged(world, wallet, () => mint(world.urls.paid, wallet, "Payer", payment));
}

/** The API dies after the facilitator has moved the money; the payment is presented again to the next process. */
export async function recovery(world: StrictWorld): Promise<void> {
  const { processes, urls } = world;
  const { wallet, payment } = await payer(world);
  processes.kill("api-2", { FAULT_POINT: "payment.settled" });
  await until("the armed API", async () => (await fetch(`${urls.paid}/ready`)).ok, ARMED_API_WAIT);
  await charged(world, wallet, () => mint(urls.paid, wallet, "Phoenix", payment));
  if (!processes.died["payment.settled"]) throw new Error("the API did not die while settling");
}

/** No work is under way any more, and no process has ended by itself. */
export async function nothingStuck({ db, processes }: StrictWorld): Promise<void> {
  for (const [what, open] of Object.entries(OPEN))
    await until(`no ${what}`, async () => (await countOf(db, open)) === 0, ARMED_API_WAIT);
  const surprises = processes.surprises();
  if (surprises.length > 0) throw new Error(surprises.join("; ").slice(0, 500));
}

async function payer({ chain, host, payee }: StrictWorld) {
  const wallet = agentWallet({ host });
  await chain.setBalance({ address: wallet.address, value: parseEther("1") });
  await giveUsdc(chain, wallet.address, 3n * PRICE);
  const signed = await signAuthorization(wallet.account, { to: payee, value: PRICE });
  return { wallet, payment: base64(payloadOf(signed)) };
}

/** Runs a registration and compares the money of the wallet before and after. */
async function charged(world: StrictWorld, wallet: Wallet, work: () => Promise<Minted>): Promise<void> {
  const before = await usdcOf(world.chain, wallet.address);
  await isThere(world, wallet, await work());
  const paid = before - (await usdcOf(world.chain, wallet.address));
  if (paid !== PRICE) throw new Error(`${paid} units of USDC were taken instead of ${PRICE}`);
}

/** Presents the same request until it is decided, as a client does. */
async function mint(url: string, wallet: Wallet, name: string, payment?: string): Promise<Minted> {
  const authorization = await wallet.siwa();
  const headers = { authorization, "idempotency-key": wallet.address, "payment-signature": payment };
  return until(
    `the registration of ${name}`,
    async () => {
      const response = await fetch(`${url}/api/v2/mint`, jsonRequest("POST", { name }, headers));
      const body = (await response.json()) as Minted & { code?: string; error?: string };
      if (response.status === 201) return body;
      throw new Error(`${response.status} ${body.code ?? ""} ${body.error ?? ""}`);
    },
    ARMED_API_WAIT,
  );
}

/** The token is the wallet's, once, on the chain; the API shows it indexed and scored, and its history begins. */
async function isThere(world: StrictWorld, wallet: Wallet, minted: Minted): Promise<void> {
  const { chain, urls, identity: address } = world;
  const read = (functionName: "ownerOf" | "balanceOf", argument: unknown) =>
    chain.readContract({ address, abi: identityAbi, functionName, args: [argument] } as never);
  const owner = await read("ownerOf", BigInt(minted.tokenId));
  if (owner !== wallet.address) throw new Error(`token ${minted.tokenId} belongs to ${owner}`);
  const tokens = await read("balanceOf", wallet.address);
  if (tokens !== 1n) throw new Error(`${tokens} tokens were minted for one registration`);
  await until(
    `agent ${minted.tokenId} with its score`,
    async () => {
      const get = async (path: string) => {
        const response = await fetch(`${urls.api}/api/v2/agent/${path}`);
        return (await response.json()) as { credScore?: number; points?: unknown[] };
      };
      const { credScore } = await get(`${minted.tokenId}?minBlock=${minted.block}`);
      const { points } = await get(`${minted.tokenId}/cred/history`);
      if (credScore === FIRST_SCORE && points?.length === 1) return true;
      throw new Error(`score ${credScore}, ${points?.length} points of history`);
    },
    ARMED_API_WAIT,
  );
}
