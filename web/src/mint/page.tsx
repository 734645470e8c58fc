/** Registration by a browser's wallet: what is signed is shown, what it costs is said before anything is paid, what came of it after. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { Link } from "wouter";
import { Problem } from "../api/answer.ts";
import { discovery, pricing as pricingQuery } from "../api/queries.ts";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { useSearchParams } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { short } from "../words.ts";
import { bodyOf, Form } from "./form.tsx";
import { readTerms, signPayment, type Terms, usdc } from "./payment.ts";
import { type Attempt, isUndecided, type Registered, register } from "./register.ts";
import { connect, type Provider, signIn, useWallets } from "./wallet.ts";

type Step =
  | { at: "form"; problem?: unknown }
  | { at: "working"; stage: number; saying: string }
  | { at: "terms"; terms: Terms; refused?: string }
  /** Signed, sent, and nobody knows yet what came of it. */
  | { at: "undecided"; problem: unknown }
  | { at: "done"; registered: Registered };

const STAGES = ["Wallet", "Sign in", "Pay", "Chain"];

export default function MintPage() {
  const [params] = useSearchParams();
  const { data: answer, error: noDiscovery, refetch } = useQuery(discovery);
  const prices = useQuery(pricingQuery).data?.data;
  const wallets = useWallets();
  const [step, setStep] = useState<Step>({ at: "form" });
  const attempt = useRef<{ wallet: Provider; attempt: Attempt }>(undefined);
  if (noDiscovery && !answer)
    return (
      <div className="page">
        <ProblemNote error={noDiscovery} retry={() => void refetch()} />
      </div>
    );
  if (!answer)
    return (
      <div className="page">
        <Loading />
      </div>
    );
  const { auth, pricing: first } = answer.data;
  const pricing = prices ?? first;
  const free = Number(pricing.agentMint) === 0;
  const work = (stage: number, saying: string) => setStep({ at: "working", stage, saying });

  /** Sends what is at hand and shows what comes of it. */
  async function send() {
    const { attempt: current } = attempt.current!;
    try {
      const registered = await register(current, (saying) => work(3, saying));
      setStep({ at: "done", registered });
    } catch (error) {
      if (error instanceof Problem && error.status === 402) {
        const terms = readTerms(error);
        // A payment that was refused has taken nothing; another may be signed.
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
      const authorization = await signIn(wallet, auth.agent.message, address);
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

  const problem = step.at === "form" ? step.problem : undefined;
  const faults = new Map(
    problem instanceof Problem ? problem.body.details?.map(({ path, message }) => [path, message]) : [],
  );
  return (
    <div className="page narrow">
      <div className="page-head">
        <div>
          <h1>Register an agent</h1>
          <p>
            The wallet that signs becomes the agent's identity. One agent per wallet.{" "}
            {free
              ? "Registration is free now."
              : `Registration costs ${pricing.agentMint} ${pricing.currency} on Base, paid by the same wallet.`}
          </p>
        </div>
        <ApiButton paths={["/api/v2/pricing"]} />
      </div>
      {step.at === "working" && (
        <section className="panel mint-step" role="status">
          <Stages at={step.stage} free={free} />
          <p>{step.saying}</p>
        </section>
      )}
      {step.at === "terms" && (
        <Pay
          terms={step.terms}
          refused={step.refused}
          pay={() => void pay(step.terms)}
          back={() => setStep({ at: "form" })}
        />
      )}
      {step.at === "undecided" && (
        <Note title="The payment's outcome is not known yet">
          <p>{(step.problem as Error).message}</p>
          <p className="muted">
            Asking again uses the payment you have signed already. It can be charged once at most, and not at all after
            five minutes.
          </p>
          <button
            type="button"
            className="button strong"
            onClick={() => {
              work(3, "The payment is being confirmed. It is never charged twice.");
              void send();
            }}
          >
            Ask again with the same payment
          </button>
        </Note>
      )}
      {step.at === "done" && <Done {...step.registered} />}
      {problem !== undefined && <Refused problem={problem} />}
      <div hidden={step.at !== "form" && step.at !== "working"}>
        <Form
          disabled={step.at === "working"}
          referralCode={params.get("ref") ?? ""}
          wallets={wallets}
          faults={faults}
          submit={(event) => void submit(event)}
        />
      </div>
    </div>
  );
}

const Stages = ({ at, free }: { at: number; free: boolean }) => (
  <ol className="stages">
    {STAGES.map((label, i) =>
      free && label === "Pay" ? null : (
        <li key={label} data-state={i < at ? "done" : i === at ? "now" : undefined}>
          {label}
        </li>
      ),
    )}
  </ol>
);

const Note = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="panel mint-step" role="alert">
    <h2>{title}</h2>
    {children}
  </section>
);

type PayProps = { terms: Terms; refused: string | undefined; pay: () => void; back: () => void };

/** What is asked for, to the unit, before anything is signed. */
const Pay = ({ terms, refused, pay, back }: PayProps) => (
  <section className="panel mint-step" aria-labelledby="pay">
    <h2 id="pay">This registration costs {usdc(terms.amount)} USDC</h2>
    {refused && (
      <p className="warn-text" role="alert">
        {refused}
      </p>
    )}
    <dl className="facts tall">
      <div>
        <dt>Amount</dt>
        <dd>{usdc(terms.amount)} USDC, exactly</dd>
      </div>
      <div>
        <dt>Network</dt>
        <dd>{terms.chainId === 8453 ? "Base" : `chain ${terms.chainId}`}</dd>
      </div>
      <div>
        <dt>To</dt>
        <dd className="mono wrap">{terms.payTo}</dd>
      </div>
      <div>
        <dt>Token</dt>
        <dd className="mono wrap">{terms.asset}</dd>
      </div>
    </dl>
    <p className="muted">
      Your wallet signs a permission to move this amount once, within {Math.round(terms.seconds / 60)} minutes. You need
      no ether. Everything that could refuse the registration has been checked.
    </p>
    <p className="actions">
      <button type="button" className="button strong" onClick={pay}>
        Pay {usdc(terms.amount)} USDC and register
      </button>
      <button type="button" className="button" onClick={back}>
        Back
      </button>
    </p>
  </section>
);

/** Why there is no agent, in plain words. Nothing was charged in any of these cases. */
function Refused({ problem }: { problem: unknown }) {
  if (!(problem instanceof Problem))
    return (
      <Note title="Not registered">
        <p>{(problem as Error).message}</p>
      </Note>
    );
  const { tokenId } = problem.body as { tokenId?: number };
  if (problem.code === "already_registered" && tokenId !== undefined)
    return (
      <Note title="This wallet has an agent already">
        <p>
          It is <Link href={`/agent/${tokenId}`}>agent #{tokenId}</Link>. Choose another account in your wallet to
          register a second one.
        </p>
      </Note>
    );
  return (
    <Note title="Not registered">
      <p>{problem.message}</p>
      {problem.body.hint && <p className="muted">{problem.body.hint}</p>}
      {problem.requestId && (
        <p className="faint">
          Request <code>{problem.requestId}</code>
        </p>
      )}
    </Note>
  );
}

const Done = ({ tokenId, code }: Registered) => (
  <section className="panel mint-step" role="status">
    <h2>Registered</h2>
    <p>
      Your agent has number {tokenId}. It shows in the directory as soon as its block is indexed, usually in seconds.
    </p>
    {code && (
      <p className="muted">
        Its referral code is <code>{code}</code>: who registers with it wins points for both.
      </p>
    )}
    <p className="actions">
      <Link className="button strong" href={`/agent/${tokenId}`}>
        Open agent #{tokenId}
      </Link>
    </p>
  </section>
);
