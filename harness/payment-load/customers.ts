/** Who pays in a load of payments: each keeps on as a sensible client does, and remembers how it ended. */
import { type Hex, keccak256, stringToHex } from "viem";
import { base64, payloadOf, type Signed, signAuthorization } from "../payment-signing.ts";
import { type Customer, changed, type Tempo } from "../tempo.ts";
import type { TroubledFacilitator } from "./facilitator.ts";
import type { PaymentVariant, PlannedPayment } from "./plan.ts";
import { type ChainClient, type LoadWallet, loadWalletOf } from "./wallets.ts";

export const PRICES = { mint: 1_000_000n, report: 10_000n } as const;

export type Market = {
  seed: number;
  apiUrls: readonly string[];
  host: string;
  chainClient: ChainClient;
  facilitator: TroubledFacilitator;
  /** Where MPP is paid; who is planned to needs it. */
  tempo?: Tempo;
  payTo: { mint: Hex; report: Hex };
  /** The agent whose report is bought. */
  subject: number;
  /** Whose address holds what was moved away. */
  sink: Hex;
  /** A client that is told nothing usable for so long gives up, and comes back after the faults. */
  maxWaitMs: number;
};

export type Outcome = {
  payment: PlannedPayment;
  payer: LoadWallet;
  /** `open`: gave up before it was told. */
  end: "served" | "refused" | "open";
  tokenId?: number;
  /** Status and code of every answer that was not a success, in order; null = no answer. */
  answers: (string | null)[];
  /** Asks once more, with the same payment, for whoever gave up under load. */
  comeBack?: () => Promise<void>;
};

type Reply = { status: number; body: { code?: string; reason?: string; tokenId?: number } } | null;
type Request = { headers: Record<string, string>; body?: object; path: string; method: string };

const AFTERWARDS_TIMEOUT_MS = 300_000;
/** How often a client signs anew after a refusal that it has no part in. */
const SIGNATURES = 6;
/** Who wants to be served, whatever others do. */
export const HONEST: readonly PaymentVariant[] = ["plain", "copies", "stolen", "front-run"];
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

export async function serveCustomer(market: Market, payment: PlannedPayment, payer: LoadWallet): Promise<Outcome> {
  const { seed, chainClient, facilitator, payTo } = market;
  const { buys, by, variant, random, index } = payment;
  /** Who asks: with a shared balance, somebody else than the wallet that pays. */
  const caller = variant === "shared" ? loadWalletOf(seed, `caller ${index}`, market.host) : payer;
  const outcome: Outcome = { payment, payer, end: "open", answers: [] };
  const [price, to] = [PRICES[buys], payTo[buys]];
  const credential = await caller.siwa();
  let signatures = 0;

  const authorize = (change: { value?: bigint; to?: Hex; nonce?: Hex } = {}) =>
    signAuthorization(payer.account, {
      to,
      value: price,
      nonce: keccak256(stringToHex(`${seed} ${index} ${signatures++}`)),
      ...change,
    });
  const carrying = (headers: Record<string, string>, name = `Storm ${index}`): Request => {
    const signedIn: Record<string, string> = buys === "mint" || by === "hash" ? { authorization: credential } : {};
    const report = `/api/v2/agent/${market.subject}/cred-report`;
    if (buys === "report") return { method: "GET", path: report, headers: { ...signedIn, ...headers } };
    const json = { "content-type": "application/json" };
    return { method: "POST", path: "/api/v2/mint", headers: { ...json, ...signedIn, ...headers }, body: { name } };
  };
  const withSigned = (signed: Signed): Record<string, string> => {
    const payload = payloadOf(signed);
    if (by === "v2") return { "payment-signature": base64(payload) };
    return { "x-payment": base64({ x402Version: 1, scheme: "exact", network: "base", payload: payload.payload }) };
  };

  /** Presents one payment until it is decided. @returns the last answer; null after all patience */
  async function insist(request: Request, again?: () => Promise<void>, maxWaitMs = market.maxWaitMs): Promise<Reply> {
    return patiently(maxWaitMs, async () => {
      const reply = await ask(market, request, random, outcome.answers);
      if (reply && isDecided(reply)) return reply;
      if (reply?.status === 402) await again?.();
      return null;
    });
  }

  /** Tries until there is something. @returns null after all patience */
  async function patiently<T>(maxWaitMs: number, attempt: () => Promise<T | null>): Promise<T | null> {
    const end = Date.now() + maxWaitMs;
    while (Date.now() < end) {
      const found = await attempt();
      if (found !== null) return found;
      await pause(100 + random() * 300);
    }
    return null;
  }

  if (by === "mpp-pull" || by === "mpp-push") {
    const mode = by === "mpp-pull" ? "pull" : "push";
    return byMpp(mode, await market.tempo!.customer(price * 3n, { privateKey: payer.privateKey, host: market.host }));
  }
  if (by === "hash") {
    const sent = await chainClient.transfer(payer, to, price);
    const request = carrying({ "x-payment-tx": sent.hash });
    // A wallet sends a transaction again that a reorganisation has removed.
    const reply = await present(request, () => chainClient.push(sent.raw).then(() => {}));
    return ended(reply, request, () => chainClient.push(sent.raw).then(() => {}));
  }
  if (variant === "reused-number") {
    const good = await authorize();
    const bad = await authorize({ to: market.sink, value: 1n, nonce: good.authorization.nonce });
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        ask(market, carrying(withSigned(i % 4 === 0 ? good : bad)), random, outcome.answers),
      ),
    );
    outcome.end = replies.some((reply) => reply && reply.status < 300) ? "served" : "refused";
    return outcome;
  }
  for (;;) {
    const signed = await authorize();
    const { nonce } = signed.authorization;
    if (signatures === 1) {
      if (variant === "front-run")
        facilitator.before.set(nonce, () => chainClient.settle(loadWalletOf(seed, `thief ${index}`, ""), signed));
      if (variant === "drained") facilitator.before.set(nonce, () => chainClient.transfer(payer, market.sink, price));
      if (variant === "cancelled") facilitator.before.set(nonce, () => chainClient.cancel(payer, nonce));
    }
    const request = carrying(withSigned(variant === "tampered" ? await tampered(signed) : signed));
    const reply = await present(request);
    // Refused though it was good, in all this trouble: a client reads the 402 and signs anew.
    if (HONEST.includes(variant) && reply?.status === 402 && signatures < SIGNATURES) continue;
    return ended(reply, request);
  }

  async function byMpp(mode: "pull" | "push", customer: Customer): Promise<Outcome> {
    // What its payer has sent has paid: a second one would be another payment.
    const mayRenew = () => mode === "pull" && HONEST.includes(variant) && signatures < SIGNATURES;
    for (;;) {
      const challenge = await challenged();
      if (challenge === null) {
        outcome.comeBack = async () => void (await byMpp(mode, customer));
        return outcome;
      }
      signatures++;
      const credential = await customer.answer(challenge, mode);
      const request = carrying({
        "payment-authorization": variant === "tampered" ? tamperedCredential(credential) : credential,
      });
      const reply = await present(request);
      if (reply?.status === 402 && mayRenew()) continue;
      await ended(reply, request);
      const comeBack = outcome.comeBack;
      // Half a minute after it was made a credential is void: what it did by then, it did.
      if (comeBack)
        outcome.comeBack = async () => {
          await comeBack();
          if (outcome.end === "refused" && mayRenew()) await byMpp(mode, customer);
        };
      return outcome;
    }
  }

  /** The 402 that tells what to pay; null after all patience. */
  function challenged(): Promise<Response | null> {
    return patiently(market.maxWaitMs, async () => {
      const response = await send(market, carrying({}), random, 20_000).catch(() => null);
      if (response?.status === 402 && response.headers.has("www-authenticate")) return response;
      await response?.body?.cancel();
      return null;
    });
  }

  function tamperedCredential(credential: string): string {
    const ways: Parameters<typeof changed>[1][] = [
      ({ challenge }) => {
        challenge.id = `${challenge.id!.slice(0, -1)}${challenge.id!.endsWith("A") ? "B" : "A"}`;
      },
      ({ challenge }) => {
        const asked = JSON.parse(Buffer.from(challenge.request!, "base64url").toString());
        challenge.request = Buffer.from(JSON.stringify({ ...asked, amount: "1" })).toString("base64url");
      },
      (said) => {
        said.payload = { ...said.payload, signature: `0x${"12".repeat(65)}` };
      },
    ];
    return changed(credential, ways[Math.floor(random() * ways.length)]!);
  }

  async function present(request: Request, again?: () => Promise<void>): Promise<Reply> {
    if (variant === "abandoned") {
      const once = await ask(market, request, random, outcome.answers, 50 + random() * 600);
      return once && isDecided(once) ? once : null;
    }
    if (variant !== "copies") return insist(request, again);
    const copies = await Promise.all(
      Array.from({ length: 3 + Math.floor(random() * 4) }, () => insist(request, again)),
    );
    return copies.find((reply) => reply && reply.status < 300) ?? copies[0]!;
  }

  async function tampered(signed: Signed): Promise<Signed> {
    const { authorization } = signed;
    const other = await authorize(
      random() < 0.5 ? { value: price - 1n } : { to: payTo[buys === "mint" ? "report" : "mint"] },
    );
    const ways: Signed[] = [
      other,
      { ...signed, authorization: { ...authorization, nonce: keccak256(authorization.nonce) } },
      { ...signed, authorization: { ...authorization, from: market.sink } },
      { ...signed, signature: `0x12345678${signed.signature.slice(10)}` },
    ];
    return ways[Math.floor(random() * ways.length)]!;
  }

  async function ended(reply: Reply, request: Request, again?: () => Promise<void>): Promise<Outcome> {
    const leaves = reply === null && variant !== "abandoned" && outcome.comeBack === undefined;
    if (leaves)
      outcome.comeBack = async () => {
        await ended(await insist(request, again, AFTERWARDS_TIMEOUT_MS), request, again);
      };
    outcome.end = reply === null ? "open" : reply.status < 300 ? "served" : "refused";
    if (buys === "mint" && outcome.end === "served") outcome.tokenId = reply!.body.tokenId!;
    if (variant !== "stolen" || outcome.end !== "served") return outcome;
    const thief = loadWalletOf(seed, `thief ${index}`, market.host);
    const stolen = carrying({ ...request.headers, authorization: await thief.siwa() }, "Thief");
    const theirs = await insist(
      buys === "report" && by !== "hash" ? { ...stolen, path: `${stolen.path}?other=1` } : stolen,
    );
    if (theirs && theirs.status < 300) throw new Error(`payment ${index} was taken a second time, for a thief`);
    return outcome;
  }
}

/** Neither trouble nor something that may change by waiting. */
function isDecided({ status, body }: NonNullable<Reply>): boolean {
  if (status === 200 || status === 201) return true;
  if (status === 202 || status === 429 || status >= 500) return false;
  if (status === 409) return body.code !== "request_in_progress";
  return !(status === 402 && /^transaction_not_(found|confirmed)$/.test(body.reason ?? ""));
}

/** Sends a request to one of the APIs, whichever comes up. */
const send = ({ apiUrls }: Market, { path, method, headers, body }: Request, random: () => number, limitMs: number) =>
  fetch(apiUrls[Math.floor(random() * apiUrls.length)]! + path, {
    ...{ method, headers, signal: AbortSignal.timeout(limitMs) },
    ...(body && { body: JSON.stringify(body) }),
  });

/** Asks, and remembers the answers. */
async function ask(
  market: Market,
  request: Request,
  random: () => number,
  answers: Outcome["answers"],
  limitMs = 20_000,
): Promise<Reply> {
  try {
    const response = await send(market, request, random, limitMs);
    const body = (await response.json()) as NonNullable<Reply>["body"];
    if (response.status >= 300) answers.push(`${response.status} ${body.reason ?? body.code}`);
    return { status: response.status, body };
  } catch {
    answers.push(null);
    return null;
  }
}
