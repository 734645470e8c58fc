/** The steps of a registration as they are shown: progress, price, unknown outcome, refusal, success. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Problem } from "../api/answer.ts";
import { type Terms, usdc } from "./payment.ts";
import type { Registered } from "./register.ts";

const STAGES = ["Wallet", "Sign in", "Pay", "Chain"];

type WorkingProps = { stage: number; saying: string; free: boolean };

/** Progress, while the wallet or the service works. */
export const Working = ({ stage, saying, free }: WorkingProps) => (
  <section className="panel mint-step" role="status">
    <Stages at={stage} free={free} />
    <p>{saying}</p>
  </section>
);

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

/** The payment was sent and its outcome is unknown; the request can be repeated without a second charge. */
export const Undecided = ({ problem, again }: { problem: Error; again: () => void }) => (
  <Note title="The payment's outcome is not known yet">
    <p>{problem.message}</p>
    <p className="muted">
      Asking again uses the payment you have signed already. It can be charged once at most, and not at all after five
      minutes.
    </p>
    <button type="button" className="button strong" onClick={again}>
      Ask again with the same payment
    </button>
  </Note>
);

type PayProps = { terms: Terms; refused: string | undefined; pay: () => void; back: () => void };

/** The price, exact to the unit, shown before anything is signed. */
export const Pay = ({ terms, refused, pay, back }: PayProps) => (
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

/** The reason why no agent was registered. Nothing was charged in any of these cases. */
export function Refused({ problem }: { problem: unknown }) {
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

export const Done = ({ tokenId, code }: Registered) => (
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
