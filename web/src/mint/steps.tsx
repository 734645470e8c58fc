/** The steps of a registration after the form: progress, the chain's decision, the index, and the registered agent. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { Link } from "wouter";
import { get, Problem } from "../api/answer.ts";
import { agentPath, cardPath } from "../api/queries.ts";
import type { Agent, Referral, Registration } from "../api/types.ts";
import { Copy } from "../parts/copy.tsx";
import { ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
import { Note, Refused } from "../wallet/operation.tsx";
import { type AcceptedMint, arrival, isBehind, mintState } from "./registration.ts";

/** The steps in their order; a registration that costs nothing leaves out those of the payment. */
const STEPS = ["sign", "pay", "settle", "mint", "index"] as const;
const PAYING: readonly StepKey[] = ["pay", "settle"];
export type StepKey = (typeof STEPS)[number];

export const Stages = ({ at, free }: { at: StepKey; free: boolean }) => {
  const steps = STEPS.filter((step) => !(free && PAYING.includes(step)));
  const now = steps.indexOf(at);
  return (
    <ol className="stages" aria-label={say("mint.progress")}>
      {steps.map((step, i) => (
        <li key={step} data-state={i < now ? "done" : i === now ? "now" : undefined}>
          {say(`mint.step.${step}`)}
          {i === now && <span className="unseen"> {say("mint.now")}</span>}
        </li>
      ))}
    </ol>
  );
};

const Waiting = ({ children }: { children: ReactNode }) => (
  <section className="panel mint-step" role="status" aria-busy="true">
    <h2>{say("operation.working")}</h2>
    {children}
  </section>
);

type FollowingProps = {
  accepted: AcceptedMint;
  free: boolean;
  minted: (registration: Registration) => void;
  forget: () => void;
};

/** Follows an accepted registration to the agent's page. */
export function Following({ accepted, free, minted, forget }: FollowingProps) {
  return "mintId" in accepted ? (
    <Minting free={free} minted={minted} forget={forget} mintId={accepted.mintId} />
  ) : (
    <Arriving accepted={accepted} free={free} forget={forget} />
  );
}

function Minting({ mintId, free, minted, forget }: Omit<FollowingProps, "accepted"> & { mintId: string }) {
  const { data: answer, error } = useQuery(mintState(mintId));
  const state = answer?.data;
  useEffect(() => {
    if (state?.status === "minted") minted(state);
  }, [state, minted]);
  if (state?.status === "failed" || (error instanceof Problem && error.status === 404))
    return (
      <Note title={say("mint.failed")}>
        <p>{state?.status === "failed" ? say("mint.failedBecause", { reason: state.reason }) : error?.message}</p>
        {!free && <p className="muted">{say("mint.failedCredit")}</p>}
        <p className="actions">
          <button type="button" className="button strong" onClick={forget}>
            {say("mint.tryAgain")}
          </button>
        </p>
      </Note>
    );
  return (
    <>
      <Stages at="mint" free={free} />
      <Waiting>
        <p>{say("mint.onItsWay")}</p>
        {error && <p className="muted">{error.message}</p>}
      </Waiting>
    </>
  );
}

type ArrivedMint = Extract<AcceptedMint, { tokenId: number }>;

function Arriving({ accepted, free, forget }: { accepted: ArrivedMint; free: boolean; forget: () => void }) {
  const { data: answer, error, refetch } = useQuery(arrival(accepted));
  if (answer) return <Done agent={answer.data} forget={forget} />;
  return (
    <>
      <Stages at="index" free={free} />
      {error && !isBehind(error) ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : (
        <Waiting>
          <p>{say("mint.indexing", { id: String(accepted.tokenId), block: accepted.block })}</p>
        </Waiting>
      )}
    </>
  );
}

/** The card, how to show it to others, and what comes next. */
function Done({ agent, forget }: { agent: Agent; forget: () => void }) {
  const { tokenId, name } = agent;
  return (
    <section className="panel registered" aria-labelledby="registered">
      <img src={cardPath(agent)} width="360" height="360" alt={say("mint.cardOf", { name })} />
      <div className="stack">
        <div role="status">
          <h2 id="registered">
            <Say k="mint.done" id={String(tokenId)} name={() => <bdi>{name}</bdi>} />
          </h2>
          <p className="muted">{say("mint.doneLead", { score: agent.credScore })}</p>
        </div>
        <p className="actions">
          <Link className="button strong" href={`/agent/${tokenId}`}>
            {say("mint.openAgent", { id: String(tokenId) })}
          </Link>
          <button type="button" className="button" onClick={forget}>
            {say("mint.another")}
          </button>
        </p>
        <h3>{say("mint.next")}</h3>
        <Next tokenId={tokenId} />
        <h3>{say("mint.share")}</h3>
        <Share agent={agent} />
      </div>
    </section>
  );
}

/** Each with the section of the agent's management where it is done. */
const NEXT = [
  ["mint.nextProve", "proofs"],
  ["mint.nextManage", "words"],
  ["mint.nextScore", "score"],
] as const;

/** What raises the score of an agent that has just begun, each with the page where it is done. */
const Next = ({ tokenId }: { tokenId: number }) => (
  <ul className="next-steps">
    {NEXT.map(([key, section]) => (
      <li key={key}>
        <Say k={key} a={(text) => <Link href={`/agent/${tokenId}/manage/${section}`}>{text}</Link>} />
      </li>
    ))}
  </ul>
);

function Share({ agent: { tokenId, name } }: { agent: Agent }) {
  const path = `${agentPath(String(tokenId))}/referral`;
  const { data: answer } = useQuery({ queryKey: [path], queryFn: get<Referral>(path) });
  const page = `${location.origin}/agent/${tokenId}`;
  const text = encodeURIComponent(say("mint.shareText", { name }));
  const places = [
    ["X", `https://x.com/intent/post?text=${text}&url=${encodeURIComponent(page)}`],
    ["Farcaster", `https://farcaster.xyz/~/compose?text=${text}&embeds[]=${encodeURIComponent(page)}`],
  ] as const;
  return (
    <>
      <p className="actions">
        <Copy text={page} label={say("mint.copyLink")} />
        {answer && <Copy text={answer.data.link} label={say("mint.copyReferral")} />}
        {places.map(([place, href]) => (
          <a key={place} className="button" href={href} target="_blank" rel="noopener noreferrer">
            {say("mint.shareOn", { place })}
          </a>
        ))}
      </p>
      {answer && (
        <p className="muted">
          <Say k="mint.referralNote" code={() => <code>{answer.data.code}</code>} />
        </p>
      )}
    </>
  );
}

/** The reason why no agent was registered. Nothing was charged in any of these cases. */
export function NotRegistered({ problem }: { problem: unknown }) {
  const { tokenId } = (problem instanceof Problem ? problem.body : {}) as { tokenId?: number };
  if (problem instanceof Problem && problem.code === "already_registered" && tokenId != null)
    return (
      <Note title={say("mint.hasAgent")}>
        <p>
          <Say
            k="mint.hasAgentNote"
            id={String(tokenId)}
            agent={(text) => <Link href={`/agent/${tokenId}`}>{text}</Link>}
          />
        </p>
      </Note>
    );
  return <Refused title={say("mint.notRegistered")} problem={problem} />;
}
