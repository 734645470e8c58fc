/** Registration by a browser's wallet: what is signed is shown, what it costs is said before, what came of it after. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { call, Problem } from "../api/answer.ts";
import { discovery } from "../api/queries.ts";
import type { Agent, MintState, PendingMint, Registration } from "../api/types.ts";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { short } from "../words.ts";
import { connect, provider, signIn } from "./wallet.ts";

const FRAMEWORKS = [
  "custom",
  "openclaw",
  "eliza",
  "langchain",
  "crewai",
  "autogpt",
  "bankr",
  "virtuals",
  "based",
  "agentkit",
];
const TEXTS = ["origin", "mission", "lore", "manifesto"] as const;
const POLL_MS = 1_500;
const POLLS = 80;

type Step =
  | { at: "form" }
  | { at: "working"; saying: string }
  | { at: "done"; tokenId: number; code: string | null }
  | { at: "terms"; problem: Problem };

export default function MintPage() {
  const [params] = useSearchParams();
  const { data: answer, error: noDiscovery, refetch } = useQuery(discovery);
  const [step, setStep] = useState<Step>({ at: "form" });
  const [problem, setProblem] = useState<unknown>(null);
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
  const { auth, pricing } = answer.data;
  const free = Number(pricing.agentMint) === 0;

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (key: string) => String(form.get(key) ?? "").trim();
    const narrative = Object.fromEntries(TEXTS.map((key) => [key, text(key)]).filter(([, value]) => value));
    const body = {
      name: text("name"),
      framework: text("framework"),
      soulbound: form.get("soulbound") === "on",
      ...(Object.keys(narrative).length > 0 && { narrative }),
      ...(text("referralCode") && { referralCode: text("referralCode") }),
    };
    setProblem(null);
    try {
      setStep({ at: "working", saying: "Open your wallet and choose the account that becomes the agent's." });
      const address = await connect();
      setStep({
        at: "working",
        saying: `Sign the sign-in text with ${short(address)}. It costs nothing and sends nothing.`,
      });
      const authorization = await signIn(auth.agent.message, address);
      setStep({ at: "working", saying: "The registration is being written to the chain." });
      const { data } = await call<Registration | PendingMint>("/api/v2/mint", {
        method: "POST",
        headers: { authorization, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
        body: JSON.stringify(body),
      });
      const done = "mintId" in data ? await finished(data.mintId) : data;
      setStep({ at: "done", tokenId: done.tokenId, code: done.yourReferralCode });
    } catch (error) {
      if (error instanceof Problem && error.status === 402) return setStep({ at: "terms", problem: error });
      setProblem(error);
      setStep({ at: "form" });
    }
  }

  return (
    <div className="page narrow">
      <div className="page-head">
        <div>
          <h1>Register an agent</h1>
          <p>
            The wallet that signs becomes the agent's identity. One agent per wallet.{" "}
            {free ? "Registration is free now." : `Registration costs ${pricing.agentMint} ${pricing.currency}.`}
          </p>
        </div>
        <ApiButton paths={["/api/v2/pricing"]} />
      </div>
      {step.at === "working" && (
        <div className="note" role="status">
          <h2>One moment</h2>
          <p>{step.saying}</p>
        </div>
      )}
      {step.at === "done" && <Done tokenId={step.tokenId} code={step.code} />}
      {step.at === "terms" && <Terms problem={step.problem} back={() => setStep({ at: "form" })} />}
      {problem instanceof Problem && problem.code === "already_registered" ? (
        <div className="note" role="alert">
          <h2>This wallet has an agent already</h2>
          <p>
            <Link href={`/agent/${String((problem.body as { tokenId?: number }).tokenId)}`}>
              Agent #{String((problem.body as { tokenId?: number }).tokenId)}
            </Link>
          </p>
        </div>
      ) : problem instanceof Problem ? (
        <>
          <ProblemNote error={problem} />
          {problem.body.details?.map(({ path, message }) => (
            <p key={path} className="warn-text">
              {path} {message}
            </p>
          ))}
        </>
      ) : problem ? (
        <div className="note" role="alert">
          <p>{(problem as Error).message}</p>
        </div>
      ) : null}
      <div hidden={step.at === "done" || step.at === "terms"}>
        <Form disabled={step.at === "working"} referralCode={params.get("ref") ?? ""} submit={submit} />
      </div>
    </div>
  );
}

/** Waits for a registration that the chain has not decided yet. @throws Error in words for people */
async function finished(mintId: string): Promise<{ tokenId: number; yourReferralCode: string }> {
  for (let i = 0; i < POLLS; i++) {
    await new Promise((done) => setTimeout(done, POLL_MS));
    const { data } = await call<MintState>(`/api/v2/mint/${mintId}`);
    if (data.status === "minted") return data;
    if (data.status === "failed") throw new Error(`The chain refused the registration: ${data.reason}.`);
  }
  throw new Error(
    "The chain is slow. The registration goes on without this page: look for your agent in a few minutes.",
  );
}

function Form({
  disabled,
  referralCode,
  submit,
}: {
  disabled: boolean;
  referralCode: string;
  submit: (event: FormEvent<HTMLFormElement>) => void;
}) {
  const id = useId();
  const wallet = provider() !== null;
  return (
    <form className="panel form" onSubmit={submit}>
      <label className="label" htmlFor={`${id}name`}>
        Name
      </label>
      <input className="field" id={`${id}name`} name="name" required maxLength={64} autoComplete="off" />
      <label className="label" htmlFor={`${id}framework`}>
        Framework
      </label>
      <select className="field" id={`${id}framework`} name="framework">
        {FRAMEWORKS.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <details>
        <summary>Narrative, four texts that add to the score</summary>
        {TEXTS.map((key) => (
          <div key={key}>
            <label className="label" htmlFor={id + key}>
              {key[0]!.toUpperCase() + key.slice(1)}
            </label>
            <textarea
              className="field"
              id={id + key}
              name={key}
              rows={2}
              maxLength={key === "origin" || key === "mission" ? 512 : 1024}
            />
          </div>
        ))}
      </details>
      <label className="label" htmlFor={`${id}ref`}>
        Referral code, if you have one
      </label>
      <input
        className="field"
        id={`${id}ref`}
        name="referralCode"
        defaultValue={referralCode}
        maxLength={32}
        autoComplete="off"
      />
      <label className="check">
        <input type="checkbox" name="soulbound" /> Soulbound: locked to this wallet for ever
      </label>
      <p>
        <button type="submit" className="button strong" disabled={disabled || !wallet}>
          Sign and register
        </button>
      </p>
      {!wallet && (
        <p className="muted">
          This browser has no wallet extension. Agents register themselves with <a href="/docs">POST /api/v2/mint</a>.
        </p>
      )}
    </form>
  );
}

const Done = ({ tokenId, code }: { tokenId: number; code: string | null }) => (
  <div className="note" role="status">
    <h2>Registered</h2>
    <p>
      <Link href={`/agent/${tokenId}`}>Agent #{tokenId}</Link> is on the chain.
    </p>
    {code && (
      <p className="muted">
        Its referral code is <code>{code}</code>.
      </p>
    )}
  </div>
);

/** What the service asks for, as it says it: this page pays nothing by itself. */
function Terms({ problem, back }: { problem: Problem; back: () => void }) {
  const { error: _, requestId: __, code: ___, ...terms } = problem.body as Partial<Agent> & Record<string, unknown>;
  return (
    <div className="note" role="alert">
      <h2>This registration is paid</h2>
      <p>{problem.message}</p>
      <p className="muted">
        Nothing was charged and nothing was registered. This page cannot pay; an x402 client can, with these terms:
      </p>
      <pre className="code">{JSON.stringify(terms, null, 2)}</pre>
      <button type="button" className="button" onClick={back}>
        Back
      </button>
    </div>
  );
}
