/**
 * One write of the API as people do it: sign in, send, pay when it has a price, and send again with the same key and the
 * same payment until the outcome is known. What was sent is kept in this browser, so that a reload continues with it.
 */
import { call, Problem } from "../api/answer.ts";
import { usdc } from "../formats.ts";
import { observed } from "../observed.ts";
import { keep, kept } from "../stored.ts";
import { isSettled, readTerms, signPayment, type Terms } from "./payment.ts";
import { connectedWallet } from "./session.ts";
import { type CallerRule, credentialsOf, forgetRefused, isCallerSignedIn, isOfHuman, tokenSignIn } from "./sign-ins.ts";

const RESUMED = "A request of this page was still open when it was left. It goes on now.";
const REPEATED = "The service is asked again with the same request.";

export type Request = {
  /** POST unless it says otherwise. */
  method?: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  /** In place of the operation's own. */
  caller?: CallerRule;
};

/** @param tell receives, at once, a sentence about what the wallet shows for signing */
export type RequestMaker = (tell: (saying: string) => void) => Promise<Request>;

/** What is under way: the sign-in, the request, the wallet's signature of a payment, or the request with its payment. */
type Stage = "signIn" | "request" | "payment" | "settlement";

export type State<T> =
  | { at: "idle" }
  | { at: "working"; stage: Stage; saying: string }
  /** The price, exact; nothing is signed yet. `refused` says why a payment was not made. */
  | { at: "terms"; terms: Terms; refused?: string }
  /** The request was sent, with a signed payment when it is `paid`; its outcome is unknown. */
  | { at: "undecided"; problem: Error; paid: boolean }
  | { at: "refused"; problem: unknown }
  | { at: "done"; answer: T };

/** A request that was sent: it is repeated as it is, never changed. */
type SentRequest = Pick<Request, "path" | "caller"> & {
  method: NonNullable<Request["method"]>;
  /** JSON. */
  body?: string;
  /** Idempotency-Key. */
  key: string;
  /** The account of the access token of the human that sent it, or the wallet, lower case; null without either. */
  address: string | null;
  /** PAYMENT-SIGNATURE, once the wallet has signed one. */
  payment?: string;
  /** Milliseconds since the epoch. */
  at: number;
};

/** Max requests with one payment, and without one; the pause between two in milliseconds. */
const REPEATS = { paid: 12, unpaid: 3 };
const PAUSE_MS = 1_500;
const MAX_PAUSE_MS = 10_000;
/** How long a kept request is resumed: a signed payment can be asked about until its report or its credit is due. */
const KEPT_MS = { paid: 7 * 86_400_000, unpaid: 3_600_000 };
const PREFIX = "request.";

/** Answers that leave a request undecided. Below 500 a paid one is also undecided while its caller is not accepted. */
const LOST = new Set(["request_in_progress", "timeout"]);
const isLost = (error: unknown): boolean => error instanceof Problem && (error.status === 0 || LOST.has(error.code));
const isUndecided = (error: unknown): boolean =>
  isLost(error) || (error instanceof Problem && (error.status >= 500 || error.status === 429));
/** Whether the service has refused for certain, so that the payment buys nothing and may be forgotten. */
const isRefusal = (error: unknown) => error instanceof Problem && !isUndecided(error) && error.status !== 401;

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/**
 * Check then write: nothing is under way, then `localStorage` and the request; another tab may write: Idempotency-Key
 * and payment stay the same until the outcome is known, and the last write of two tabs wins (so stored.ts).
 * Resumes: with the same key and payment, kept in the browser: 12 repeats of a paid request, 3 of an unpaid one, then
 * it waits for a click.
 */
export class OperationRun<T> {
  private readonly current = observed<State<T>>({ at: "idle" });
  private sent: SentRequest | null = null;
  private readonly name: string;
  private readonly caller: CallerRule;

  private readonly arrived: ((answer: T, address: string | null) => void) | undefined;

  /**
   * @param name of the operation and its subject: each wallet has one request of a name under way at a time
   * @param arrived keeps what an answer brings before its request is forgotten, also when the page was left meanwhile
   */
  constructor(name: string, caller: CallerRule, arrived?: (answer: T, address: string | null) => void) {
    this.name = PREFIX + name;
    this.caller = caller;
    this.arrived = arrived;
  }

  readonly read = this.current.read;
  readonly use = this.current.use;
  private readonly set = this.current.set;
  private get state(): State<T> {
    return this.read();
  }
  private readonly saying = (saying: string) =>
    this.set({ at: "working", stage: this.sent?.payment ? "settlement" : "request", saying });

  private readonly signingIn = (saying: string) => this.set({ at: "working", stage: "signIn", saying });

  /** The account of the access token where the operation takes one, or the connected wallet. */
  private presentAddress(): string | null {
    const account = isOfHuman(this.caller) ? tokenSignIn()?.account : undefined;
    return account ?? connectedWallet()?.address.toLowerCase() ?? null;
  }

  private keyOf(address: string | null): string {
    return `${this.name}.${address ?? "anyone"}`;
  }

  private keep(sent: SentRequest): void {
    this.sent = sent;
    keep("browser", this.keyOf(sent.address), sent);
  }

  private forget(): void {
    if (this.sent) keep("browser", this.keyOf(this.sent.address), null);
    this.sent = null;
  }

  private kept(address: string | null): SentRequest | null {
    const sent = kept<SentRequest>("browser", this.keyOf(address));
    return sent && Date.now() - sent.at < KEPT_MS[sent.payment ? "paid" : "unpaid"] ? sent : null;
  }

  /**
   * Sends a new request; its outcome is the state. An undecided paid request of this name is continued instead.
   * @param given the request, or what makes it of a signature that it asks the wallet for
   */
  readonly run = async (given: Request | RequestMaker): Promise<void> => {
    if (this.state.at === "working") return;
    const address = this.presentAddress();
    const open = this.kept(address);
    if (open?.payment) {
      this.sent = open;
      return this.send(RESUMED);
    }
    try {
      const { method = "POST", body, ...request } = typeof given === "function" ? await given(this.signingIn) : given;
      this.keep({
        ...request,
        method,
        key: crypto.randomUUID(),
        at: Date.now(),
        address,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (problem) {
      return this.set({ at: "refused", problem });
    }
    await this.send();
  };

  /**
   * Continues the request that a reload interrupted. Where its wallet would have to sign in again, a paid one waits for a
   * click. Another wallet than the one that sent the shown request begins a new one.
   */
  readonly resume = async (): Promise<void> => {
    const address = this.presentAddress();
    if (this.sent && this.sent.address !== address && this.state.at !== "working") {
      this.sent = null;
      this.set({ at: "idle" });
    }
    const sent = this.state.at === "idle" ? this.kept(address) : null;
    if (!sent) return;
    const signedIn = isCallerSignedIn(sent.caller ?? this.caller, address);
    if (!signedIn && !sent.payment) return;
    this.sent = sent;
    if (signedIn) await this.send(RESUMED);
    else
      this.set({
        at: "undecided",
        problem: new Error(
          "A request with a signed payment was still open when this page was left. Its wallet signs in once more to learn the outcome.",
        ),
        paid: true,
      });
  };

  /** Has the wallet sign these terms and sends the request with the payment. */
  readonly pay = async (terms: Terms): Promise<void> => {
    const wallet = connectedWallet();
    const { sent } = this;
    if (!sent || this.state.at === "working") return;
    try {
      this.set({
        at: "working",
        stage: "payment",
        saying: `Sign the payment of ${usdc(terms.amount)} USDC in your wallet. It is good for this request only.`,
      });
      if (!wallet || wallet.address.toLowerCase() !== sent.address)
        throw new Error("Another wallet began this request. Connect that wallet to pay, or go back. Nothing was paid.");
      const payment = await signPayment(wallet.provider, wallet.address, terms);
      this.keep({ ...sent, payment, at: Date.now() });
    } catch (error) {
      return this.set({ at: "terms", terms, refused: (error as Error).message });
    }
    await this.send("The payment is being settled.");
  };

  /** Sends the same request again, with its payment, after an unknown outcome. */
  readonly again = async (): Promise<void> => {
    if (this.sent && this.state.at !== "working") await this.send(REPEATED);
  };

  /** Whether the chain has the payment of the request under way already. */
  readonly settled = async (): Promise<boolean> => {
    const wallet = connectedWallet();
    return wallet !== null && this.sent?.payment !== undefined && isSettled(wallet.provider, this.sent.payment);
  };

  /** Forgets the request and shows the form again. */
  readonly reset = (): void => {
    if (this.state.at === "working") return;
    this.forget();
    this.set({ at: "idle" });
  };

  private async send(saying = "The service is working on it."): Promise<void> {
    const { address } = this.sent!;
    try {
      this.saying(saying);
      const answer = await this.repeat(saying);
      this.arrived?.(answer, address);
      this.forget();
      this.set({ at: "done", answer });
    } catch (error) {
      this.set(this.stateAfter(error));
    }
  }

  private stateAfter(error: unknown): State<T> {
    const sent = this.sent!;
    if (error instanceof Problem && error.status === 402) {
      const terms = readTerms(error);
      if (terms) {
        // A refused payment has taken nothing, so another may be signed.
        const { payment: _, ...unpaid } = sent;
        this.keep({ ...unpaid, at: Date.now() });
        return { at: "terms", terms, ...(error.body.reason !== undefined && { refused: error.message }) };
      }
    }
    if (sent.payment ? !isRefusal(error) : isLost(error))
      return { at: "undecided", problem: error as Error, paid: sent.payment !== undefined };
    keep("browser", this.keyOf(sent.address), null);
    return { at: "refused", problem: error };
  }

  /** @throws Problem as the service gave it, an unknown outcome only after all repeats; WalletRefusal */
  private async repeat(saying: string): Promise<T> {
    const sent = this.sent!;
    let { caller = this.caller } = sent;
    let said = saying;
    for (let turn = 1; ; turn++) {
      const credentials = await credentialsOf(caller, this.signingIn);
      // The sign-in has had its say.
      if (this.state.at === "working" && this.state.stage === "signIn") this.saying(said);
      try {
        return await once<T>(sent, credentials);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (error.status === 401) forgetRefused(credentials, error);
        // An answer that was given out before is given again to the wallet that paid, signed in.
        if (error.code === "payment_already_used" && caller === "anyone") {
          caller = "wallet";
          continue;
        }
        const repeatable = sent.payment ? isUndecided(error) : isLost(error);
        if (!repeatable || turn >= REPEATS[sent.payment ? "paid" : "unpaid"]) throw error;
        said = sent.payment ? "The payment is being confirmed. It is never charged twice." : REPEATED;
        this.saying(said);
        const seconds = Number(error.headers.get("retry-after"));
        await pause(Math.min(MAX_PAUSE_MS, seconds > 0 ? seconds * 1000 : PAUSE_MS));
      }
    }
  }
}

/** Sends the request once. @throws Problem */
async function once<T>(sent: SentRequest, credentials: Record<string, string>): Promise<T> {
  const { data } = await call<T>(sent.path, {
    method: sent.method,
    headers: {
      ...credentials,
      ...(sent.body !== undefined && { "content-type": "application/json" }),
      ...(sent.method !== "GET" && { "idempotency-key": sent.key }),
      ...(sent.payment && { "payment-signature": sent.payment }),
    },
    ...(sent.body !== undefined && { body: sent.body }),
  });
  return data;
}
