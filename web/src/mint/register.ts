/** One registration, from the request to the token: repeated with the same key and the same payment until its outcome is known. */
import { call, Problem } from "../api/answer.ts";
import type { MintState, PendingMint, Registration } from "../api/types.ts";

/** A registration request; its payment is never used for another one. */
export type Attempt = {
  address: string;
  authorization: string;
  body: string;
  /** Idempotency-Key. */
  key: string;
  /** PAYMENT-SIGNATURE, once the wallet has signed one. */
  payment?: string;
};

export type Registered = Pick<Registration, "tokenId"> & { code: string | null };

/** Max requests for one payment, and the polling of a mint: interval and max polls. */
const REPEATS = 12;
const POLL_MS = 1_500;
const POLLS = 80;

/** Error codes with an unknown outcome: the same request with the same payment learns it. */
const UNDECIDED = new Set(["payment_pending", "request_in_progress", "upstream_unavailable", "overloaded", "timeout"]);

export const isUndecided = (error: unknown): error is Problem =>
  error instanceof Problem && (error.status === 0 || UNDECIDED.has(error.code));

/**
 * @param tell receives a sentence about the current step
 * @throws Problem as the service gave it; with a payment only after all repeats
 */
export async function register(attempt: Attempt, tell: (saying: string) => void): Promise<Registered> {
  for (let turn = 1; ; turn++) {
    try {
      const { data } = await call<Registration | PendingMint>("/api/v2/mint", {
        method: "POST",
        headers: {
          authorization: attempt.authorization,
          "content-type": "application/json",
          "idempotency-key": attempt.key,
          ...(attempt.payment && { "payment-signature": attempt.payment }),
        },
        body: attempt.body,
      });
      if (!("mintId" in data)) return { tokenId: data.tokenId, code: data.yourReferralCode };
      tell("The registration is on its way to the chain.");
      return await finished(data.mintId);
    } catch (error) {
      if (!attempt.payment || !isUndecided(error) || turn === REPEATS) throw error;
      tell("The payment is being confirmed. It is never charged twice.");
      const seconds = Number(error.headers.get("retry-after"));
      await pause(Math.min(10_000, seconds > 0 ? seconds * 1000 : POLL_MS));
    }
  }
}

/** Polls a registration until the chain has decided. @throws Error in words for people */
async function finished(mintId: string): Promise<Registered> {
  for (let i = 0; i < POLLS; i++) {
    await pause(POLL_MS);
    const answer = await call<MintState>(`/api/v2/mint/${mintId}`).catch((error) => {
      if (isUndecided(error)) return null;
      throw error;
    });
    if (answer?.data.status === "minted") return { tokenId: answer.data.tokenId, code: answer.data.yourReferralCode };
    if (answer?.data.status === "failed") throw new Error(`The chain refused the registration: ${answer.data.reason}`);
  }
  throw new Error(
    "The chain is slow. The registration goes on without this page: look for your agent in a few minutes.",
  );
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
