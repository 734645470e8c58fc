/** The state of one registration: which step is shown, and the acts that lead from one step to the next. */
import { type FormEvent, useRef, useState } from "react";
import { Problem } from "../api/answer.ts";
import { short } from "../words.ts";
import { bodyOf } from "./form.tsx";
import { readTerms, signPayment, type Terms, usdc } from "./payment.ts";
import { type Attempt, isUndecided, type Registered, register } from "./register.ts";
import { connect, type Provider, signIn, type Wallet } from "./wallet.ts";

export type Step =
  | { at: "form"; problem?: unknown }
  | { at: "working"; stage: number; saying: string }
  | { at: "terms"; terms: Terms; refused?: string }
  /** A payment was signed and sent; its outcome is unknown. */
  | { at: "undecided"; problem: unknown }
  | { at: "done"; registered: Registered };

/**
 * @param wallets wallets of this browser
 * @param message the sign-in text with placeholders, from the discovery document
 * @param free whether a registration has no price
 */
export function useRegistration(wallets: Wallet[], message: string, free: boolean) {
  const [step, setStep] = useState<Step>({ at: "form" });
  const attempt = useRef<{ wallet: Provider; attempt: Attempt }>(undefined);
  const work = (stage: number, saying: string) => setStep({ at: "working", stage, saying });

  /** Sends the current attempt and shows its outcome. */
  async function send() {
    const { attempt: current } = attempt.current!;
    try {
      const registered = await register(current, (saying) => work(3, saying));
      setStep({ at: "done", registered });
    } catch (error) {
      if (error instanceof Problem && error.status === 402) {
        const terms = readTerms(error);
        // A refused payment has taken nothing, so another may be signed.
        delete current.payment;
        if (terms)
          return setStep({ at: "terms", terms, ...(error.body.reason !== undefined && { refused: error.message }) });
      }
      setStep(
        current.payment && isUndecided(error) ? { at: "undecided", problem: error } : { at: "form", problem: error },
      );
    }
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const wallet = (wallets.find(({ id }) => id === form.get("wallet")) ?? wallets[0])?.provider;
    if (!wallet) return;
    try {
      work(0, "Open your wallet and choose the account that becomes the agent's.");
      const address = await connect(wallet);
      work(1, `Sign the sign-in text with ${short(address)}. It costs nothing and sends nothing.`);
      const authorization = await signIn(wallet, message, address);
      const key = crypto.randomUUID();
      attempt.current = { wallet, attempt: { address, authorization, body: bodyOf(form), key } };
      work(free ? 3 : 2, free ? "The registration is being written to the chain." : "The price is being asked for.");
    } catch (error) {
      return setStep({ at: "form", problem: error });
    }
    await send();
  }

  async function pay(terms: Terms) {
    const { wallet, attempt: current } = attempt.current!;
    try {
      work(2, `Sign the payment of ${usdc(terms.amount)} USDC in your wallet. It is good for this registration only.`);
      current.payment = await signPayment(wallet, current.address, terms);
      work(3, "The payment is being settled and the registration written to the chain.");
    } catch (error) {
      return setStep({ at: "terms", terms, refused: (error as Error).message });
    }
    await send();
  }

  return {
    step,
    submit,
    pay,
    /** Sends the signed payment again, after an unknown outcome. */
    again: () => {
      work(3, "The payment is being confirmed. It is never charged twice.");
      void send();
    },
    back: () => setStep({ at: "form" }),
  };
}
