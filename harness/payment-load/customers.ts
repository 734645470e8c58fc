/** Who pays in a load of payments: each keeps on as a sensible client does, and remembers how it ended. */
import { setTimeout as wait } from "node:timers/promises";
import { type Hex, keccak256, stringToHex } from "viem";
import { base64, payloadOf, type SignedPayment, signAuthorization } from "../payment-signing.ts";
import { pick } from "../random.ts";
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
  /** A client gives up after this time without a usable answer, and comes back after the faults. */
  maxWaitMs: number;
};

export type Outcome = {
  payment: PlannedPayment;
  payer: LoadWallet;
  /** `open`: gave up before it had an answer. */
  end: "served" | "refused" | "open";
  tokenId?: number;
  /** Status and code of every answer that was not a success, in order; null = no answer. */
  answers: (string | null)[];
  /** Asks once more with the same payment; absent unless the client gave up under load. */
  comeBack?: () => Promise<void>;
};

type Reply = { status: number; body: { code?: string; reason?: string; tokenId?: number } } | null;
type Request = { headers: Record<string, string>; body?: object; path: string; method: string };

const AFTERWARDS_TIMEOUT_MS = 300_000;
/** How often a client signs anew after a refusal that it has no part in. */
const SIGNATURES = 6;
/** Who wants to be served, whatever others do. */
export const HONEST: readonly PaymentVariant[] = ["plain", "copies", "stolen", "front-run"];
/** Pays, and presents the payment until it is decided or patience ends. */
export async function serveCustomer(market: Market, payment: PlannedPayment, payer: LoadWallet): Promise<Outcome> {
  /** The wallet that asks: with a shared balance, another one than the wallet that pays. */
  const caller =
    payment.variant === "shared" ? loadWalletOf(market.seed, `caller ${payment.index}`, market.host) : payer;
  const visit = new Visit(market, payment, payer, await caller.siwa());
  const { by, variant } = payment;
  if (by === "mpp-pull" || by === "mpp-push") await visit.byMpp(by === "mpp-pull" ? "pull" : "push");
  else if (by === "hash") await visit.byTransfer();
  else if (variant === "reused-number") await visit.byOneNumber();
  else await visit.byAuthorization();
  return visit.outcome;
}

/** One customer with one planned payment. */
class Visit {
  readonly outcome: Outcome;
  readonly #market: Market;
  readonly #payment: PlannedPayment;
  readonly #payer: LoadWallet;
  /** Of who asks. */
  readonly #credential: string;
  readonly #price: bigint;
  readonly #to: Hex;
  /** How often it has signed a payment. */
  #signatures = 0;

  constructor(market: Market, payment: PlannedPayment, payer: LoadWallet, credential: string) {
    this.#market = market;
    this.#payment = payment;
    this.#payer = payer;
    this.#credential = credential;
    this.#price = PRICES[payment.buys];
    this.#to = market.payTo[payment.buys];
    this.outcome = { payment, payer, end: "open", answers: [] };
  }

  async byMpp(mode: "pull" | "push"): Promise<void> {
    const { tempo, host } = this.#market;
    await this.#answerChallenges(
      mode,
      await tempo!.customer(this.#price * 3n, { privateKey: this.#payer.privateKey, host }),
    );
  }

  async byTransfer(): Promise<void> {
    const { chainClient } = this.#market;
    const sent = await chainClient.transfer(this.#payer, this.#to, this.#price);
    const request = this.#carrying({ "x-payment-tx": sent.hash });
    // A wallet sends a transaction again that a reorganisation has removed.
    const again = () => chainClient.push(sent.raw).then(() => {});
    await this.#end(await this.#present(request, again), request, again);
  }

  /** The price, and copies of the same number that pay a friend one unit, all at once. */
  async byOneNumber(): Promise<void> {
    const good = await this.#authorize();
    const bad = await this.#authorize({ to: this.#market.sink, value: 1n, nonce: good.authorization.nonce });
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, i) => this.#ask(this.#carrying(this.#withSigned(i % 4 === 0 ? good : bad)))),
    );
    this.outcome.end = replies.some((reply) => reply && reply.status < 300) ? "served" : "refused";
  }

  async byAuthorization(): Promise<void> {
    const { variant } = this.#payment;
    for (;;) {
      const signed = await this.#authorize();
      if (this.#signatures === 1) this.#prepareTrick(signed);
      const request = this.#carrying(this.#withSigned(variant === "tampered" ? await this.#tampered(signed) : signed));
      const reply = await this.#present(request);
      // Refused though it was good, in all this trouble: a client reads the 402 and signs anew.
      if (HONEST.includes(variant) && reply?.status === 402 && this.#signatures < SIGNATURES) continue;
      return this.#end(reply, request);
    }
  }

  /** What happens right before the settlement of an authorization. */
  #prepareTrick(signed: SignedPayment): void {
    const { seed, chainClient, facilitator, sink } = this.#market;
    const { variant, index } = this.#payment;
    const { nonce } = signed.authorization;
    const payer = this.#payer;
    if (variant === "front-run")
      facilitator.before.set(nonce, () => chainClient.settle(loadWalletOf(seed, `thief ${index}`, ""), signed));
    if (variant === "drained") facilitator.before.set(nonce, () => chainClient.transfer(payer, sink, this.#price));
    if (variant === "cancelled") facilitator.before.set(nonce, () => chainClient.cancel(payer, nonce));
  }

  async #answerChallenges(mode: "pull" | "push", customer: Customer): Promise<void> {
    const { outcome } = this;
    const { variant } = this.#payment;
    // What its payer has sent has paid: a second one would be another payment.
    const mayRenew = () => mode === "pull" && HONEST.includes(variant) && this.#signatures < SIGNATURES;
    for (;;) {
      const challenge = await this.#challenge();
      if (challenge === null) {
        outcome.comeBack = () => this.#answerChallenges(mode, customer);
        return;
      }
      this.#signatures++;
      const credential = await customer.answer(challenge, mode);
      const request = this.#carrying({
        "payment-authorization": variant === "tampered" ? this.#tamperedCredential(credential) : credential,
      });
      const reply = await this.#present(request);
      if (reply?.status === 402 && mayRenew()) continue;
      await this.#end(reply, request);
      const { comeBack } = outcome;
      // Half a minute after it was made a credential is void: what it did by then, it did.
      if (comeBack)
        outcome.comeBack = async () => {
          await comeBack();
          if (outcome.end === "refused" && mayRenew()) await this.#answerChallenges(mode, customer);
        };
      return;
    }
  }

  /** The 402 with the terms of payment; null after all patience. */
  #challenge(): Promise<Response | null> {
    return this.#patiently(this.#market.maxWaitMs, async () => {
      const response = await this.#send(this.#carrying({})).catch(() => null);
      if (response?.status === 402 && response.headers.has("www-authenticate")) return response;
      await response?.body?.cancel();
      return null;
    });
  }

  #authorize(change: { value?: bigint; to?: Hex; nonce?: Hex } = {}): Promise<SignedPayment> {
    const number = `${this.#market.seed} ${this.#payment.index} ${this.#signatures++}`;
    const terms = { to: this.#to, value: this.#price, nonce: keccak256(stringToHex(number)) };
    return signAuthorization(this.#payer.account, { ...terms, ...change });
  }

  #carrying(headers: Record<string, string>, name = `Storm ${this.#payment.index}`): Request {
    const { buys, by } = this.#payment;
    const signedIn = { ...((buys === "mint" || by === "hash") && { authorization: this.#credential }), ...headers };
    const report = `/api/v2/agent/${this.#market.subject}/cred-report`;
    if (buys === "report") return { method: "GET", path: report, headers: signedIn };
    const json = { "content-type": "application/json" };
    return { method: "POST", path: "/api/v2/mint", headers: { ...json, ...signedIn }, body: { name } };
  }

  #withSigned(signed: SignedPayment): Record<string, string> {
    const payload = payloadOf(signed);
    if (this.#payment.by === "v2") return { "payment-signature": base64(payload) };
    return { "x-payment": base64({ x402Version: 1, scheme: "exact", network: "base", payload: payload.payload }) };
  }

  async #tampered(signed: SignedPayment): Promise<SignedPayment> {
    const { buys, random } = this.#payment;
    const { payTo, sink } = this.#market;
    const { authorization } = signed;
    const ways: SignedPayment[] = [
      await this.#authorize(
        random() < 0.5 ? { value: this.#price - 1n } : { to: payTo[buys === "mint" ? "report" : "mint"] },
      ),
      { ...signed, authorization: { ...authorization, nonce: keccak256(authorization.nonce) } },
      { ...signed, authorization: { ...authorization, from: sink } },
      { ...signed, signature: `0x12345678${signed.signature.slice(10)}` },
    ];
    return pick(random, ways);
  }

  #tamperedCredential(credential: string): string {
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
    return changed(credential, pick(this.#payment.random, ways));
  }

  /** Presents a payment as its variant has it. */
  async #present(request: Request, again?: () => Promise<void>): Promise<Reply> {
    const { variant, random } = this.#payment;
    if (variant === "abandoned") {
      const once = await this.#ask(request, 50 + random() * 600);
      return once && isDecided(once) ? once : null;
    }
    if (variant !== "copies") return this.#insist(request, again);
    const copies = await Promise.all(
      Array.from({ length: 3 + Math.floor(random() * 4) }, () => this.#insist(request, again)),
    );
    return copies.find((reply) => reply && reply.status < 300) ?? copies[0]!;
  }

  /** Presents one payment until it is decided. @returns the last answer; null after all patience */
  #insist(request: Request, again?: () => Promise<void>, maxWaitMs = this.#market.maxWaitMs): Promise<Reply> {
    return this.#patiently(maxWaitMs, async () => {
      const reply = await this.#ask(request);
      if (reply && isDecided(reply)) return reply;
      if (reply?.status === 402) await again?.();
      return null;
    });
  }

  /** Tries until there is something. @returns null after all patience */
  async #patiently<T>(maxWaitMs: number, attempt: () => Promise<T | null>): Promise<T | null> {
    const end = Date.now() + maxWaitMs;
    while (Date.now() < end) {
      const found = await attempt();
      if (found !== null) return found;
      await wait(100 + this.#payment.random() * 300);
    }
    return null;
  }

  /** Notes how it ended, and has a thief present what was served. */
  async #end(reply: Reply, request: Request, again?: () => Promise<void>): Promise<void> {
    const { outcome } = this;
    const { variant, buys, by, index } = this.#payment;
    if (reply === null && variant !== "abandoned")
      outcome.comeBack ??= async () =>
        this.#end(await this.#insist(request, again, AFTERWARDS_TIMEOUT_MS), request, again);
    outcome.end = reply === null ? "open" : reply.status < 300 ? "served" : "refused";
    if (buys === "mint" && outcome.end === "served") outcome.tokenId = reply!.body.tokenId!;
    if (variant !== "stolen" || outcome.end !== "served") return;
    const thief = loadWalletOf(this.#market.seed, `thief ${index}`, this.#market.host);
    const stolen = this.#carrying({ ...request.headers, authorization: await thief.siwa() }, "Thief");
    const theirs = await this.#insist(
      buys === "report" && by !== "hash" ? { ...stolen, path: `${stolen.path}?other=1` } : stolen,
    );
    if (theirs && theirs.status < 300) throw new Error(`payment ${index} was taken a second time, for a thief`);
  }

  /** Sends a request to one of the APIs, whichever comes up. */
  #send({ path, method, headers, body }: Request, limitMs = 20_000): Promise<Response> {
    return fetch(pick(this.#payment.random, this.#market.apiUrls) + path, {
      ...{ method, headers, signal: AbortSignal.timeout(limitMs) },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  /** Asks, and remembers the answer. */
  async #ask(request: Request, limitMs?: number): Promise<Reply> {
    const { answers } = this.outcome;
    try {
      const response = await this.#send(request, limitMs);
      const body = (await response.json()) as NonNullable<Reply>["body"];
      if (response.status >= 300) answers.push(`${response.status} ${body.reason ?? body.code}`);
      return { status: response.status, body };
    } catch {
      answers.push(null);
      return null;
    }
  }
}

/** Neither trouble nor something that may change by waiting. */
function isDecided({ status, body }: NonNullable<Reply>): boolean {
  if (status === 200 || status === 201) return true;
  if (status === 202 || status === 429 || status >= 500) return false;
  if (status === 409) return body.code !== "request_in_progress";
  return !(status === 402 && /^transaction_not_(found|confirmed)$/.test(body.reason ?? ""));
}
