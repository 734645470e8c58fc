/** A registration that was accepted, kept in this browser and followed through mint and index to the agent's page. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { Problem } from "../api/answer.ts";
import { agentPath, asked, cardPath, referral } from "../api/queries.ts";
import type { Agent, MintState, PendingMint, Registration } from "../api/types.ts";
import { count } from "../formats.ts";
import { Action, Button } from "../parts/button.tsx";
import { Copy } from "../parts/copy.tsx";
import { ProblemNote } from "../parts/states.tsx";
import { keep, kept } from "../stored.ts";
import { Note, Refused, Stages } from "../wallet/operation.tsx";

/** `mintId` while the chain is slow; afterwards the token and the block that the index must reach. */
type AcceptedMint = { at: number } & ({ mintId: string } | { tokenId: number; block: number });

const POLL_MS = 1_500;
/** How long the page shows the end of a registration again, and follows one that the chain has not decided. */
const SHOWN_MS = 3_600_000;
const FOLLOWED_MS = 7 * 86_400_000;
const keyOf = (address: string) => `registered.${address.toLowerCase()}`;

/** What this page knows itself: a private window may refuse storage. */
const mints = new Map<string, AcceptedMint>();

function remember(address: string, accepted: AcceptedMint | null): void {
  if (accepted) mints.set(keyOf(address), accepted);
  else mints.delete(keyOf(address));
  keep("browser", keyOf(address), accepted);
}

/** Keeps the answer to a registration request before the request is forgotten. */
export function keepAccepted(answer: Registration | PendingMint, address: string | null): void {
  if (address === null) return;
  // The state of a finished mint has its mintId too.
  const what = "tokenId" in answer ? { tokenId: answer.tokenId, block: answer.block } : { mintId: answer.mintId };
  remember(address, { at: Date.now(), ...what });
}

function read(address: string | undefined): AcceptedMint | null {
  if (address === undefined) return null;
  const accepted = mints.get(keyOf(address)) ?? kept<AcceptedMint>("browser", keyOf(address));
  const lasts = accepted && "mintId" in accepted ? FOLLOWED_MS : SHOWN_MS;
  return accepted && Date.now() - accepted.at < lasts ? accepted : null;
}

/** The registration of a wallet that is on its way or just done. Rendered again by its caller when a request ends. */
export function useAccepted(address: string | undefined) {
  const [, again] = useState(0);
  return {
    accepted: read(address),
    /** The chain has decided: the token and its block take the place of the request. */
    minted: (registration: Registration) => {
      keepAccepted(registration, address ?? null);
      again((n) => n + 1);
    },
    forget: () => {
      if (address) remember(address, null);
      again((n) => n + 1);
    },
  };
}

/** The state of a registration, asked for until the chain has decided. */
const mintState = (mintId: string) =>
  queryOptions({
    ...asked<MintState>(`/api/v2/mint/${encodeURIComponent(mintId)}`),
    retry: false,
    refetchInterval: ({ state }) => (state.data && state.data.data.status !== "pending" ? false : POLL_MS),
  });

/** Answers of an index that has not reached the block yet. */
const BEHIND = new Set(["indexer_behind", "not_found", "timeout"]);
const isBehind = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 0 || error.status >= 500 || BEHIND.has(error.code));

/** The agent as the index shows it from the block of its registration on; asked for until it does. */
const arrival = ({ tokenId, block }: { tokenId: number; block: number }) =>
  queryOptions({
    ...asked<Agent>(`${agentPath(String(tokenId))}?minBlock=${block}`),
    retry: false,
    refetchInterval: ({ state }) => (state.data ? false : POLL_MS),
  });

/** The steps in their order; a registration that costs nothing leaves out those of the payment. */
const STEPS = { sign: "Sign in", pay: "Pay", settle: "Settle", mint: "Mint", index: "Index" } as const;
const PAYING: readonly StepKey[] = ["pay", "settle"];
export type StepKey = keyof typeof STEPS;

export const StepsTo = ({ at, free }: { at: StepKey; free: boolean }) => {
  const steps = (Object.keys(STEPS) as StepKey[]).filter((step) => !(free && PAYING.includes(step)));
  const words = steps.map((step) => STEPS[step]);
  return <Stages of={words} now={steps.indexOf(at)} label="Steps of the registration" />;
};

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
      <Note title="The chain refused the registration">
        <p>{state?.status === "failed" ? `Reason: ${state.reason}` : error?.message}</p>
        {!free && <p className="muted">What was paid is a credit of this wallet: the next registration uses it.</p>}
        <Action strong onClick={forget}>
          Try again
        </Action>
      </Note>
    );
  return (
    <>
      <StepsTo at="mint" free={free} />
      <Note title="Working" role="status" busy>
        <p>
          The registration is accepted and waits for the chain. It goes on without this page, and this page finds it
          again.
        </p>
        {error && <p className="muted">{error.message}</p>}
      </Note>
    </>
  );
}

type ArrivedMint = Extract<AcceptedMint, { tokenId: number }>;

function Arriving({ accepted, free, forget }: { accepted: ArrivedMint; free: boolean; forget: () => void }) {
  const { data: answer, error, refetch } = useQuery(arrival(accepted));
  if (answer) return <Done agent={answer.data} forget={forget} />;
  return (
    <>
      <StepsTo at="index" free={free} />
      {error && !isBehind(error) ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : (
        <Note title="Working" role="status" busy>
          <p>
            Agent #{accepted.tokenId} is minted in block {count(accepted.block)}. Its page opens as soon as the index
            has read that block.
          </p>
        </Note>
      )}
    </>
  );
}

/** The card, how to show it to others, and what comes next. */
function Done({ agent, forget }: { agent: Agent; forget: () => void }) {
  const { tokenId, name } = agent;
  return (
    <section className="panel registered" aria-labelledby="registered">
      <img src={cardPath(agent)} width="360" height="360" alt={`Card of ${name}`} />
      <div className="stack">
        <div role="status">
          <h2 id="registered">
            <bdi>{name}</bdi> is agent #{tokenId}
          </h2>
          <p className="muted">It is registered, indexed and scored: {count(agent.credScore)} of 100 to begin with.</p>
        </div>
        <p className="actions">
          <Link className="button strong" href={`/agent/${tokenId}`}>
            Open agent #{tokenId}
          </Link>
          <Button onClick={forget}>Register with another wallet</Button>
        </p>
        <h3>What lifts the score now</h3>
        <Next agent={agent} />
        <h3>Show it to others</h3>
        <Share agent={agent} />
      </div>
    </section>
  );
}

/** Each with the section of the agent's management where it is done. */
const NEXT = [
  ["proofs", "Verify the wallet", " with one signature."],
  ["proofs", "Prove its accounts", " on X, GitHub and Farcaster."],
  ["words", "Write its words and traits", ", and register it with ERC-8004."],
  ["score", "See every point of the score", ", and what is still to be won."],
] as const;

/** What raises the score of an agent that has just begun, each with the page where it is done. */
const Next = ({ agent: { tokenId, verified } }: { agent: Agent }) => (
  <ul className="next-steps">
    {NEXT.slice(verified ? 1 : 0).map(([section, act, rest]) => (
      <li key={act}>
        <Link href={`/agent/${tokenId}/manage/${section}`}>{act}</Link>
        {rest}
      </li>
    ))}
  </ul>
);

function Share({ agent: { tokenId, name } }: { agent: Agent }) {
  const { data: answer } = useQuery(referral(tokenId));
  const page = `${location.origin}/agent/${tokenId}`;
  const text = encodeURIComponent(`${name} has an identity and a cred score on Base.`);
  const places = [
    ["X", `https://x.com/intent/post?text=${text}&url=${encodeURIComponent(page)}`],
    ["Farcaster", `https://farcaster.xyz/~/compose?text=${text}&embeds[]=${encodeURIComponent(page)}`],
  ] as const;
  return (
    <>
      <p className="actions">
        <Copy text={page} label="Copy link" />
        {answer && <Copy text={answer.data.link} label="Copy referral link" />}
        {places.map(([place, href]) => (
          <a key={place} className="button" href={href} target="_blank" rel="noopener noreferrer">
            Share on {place}
          </a>
        ))}
      </p>
      {answer && (
        <p className="muted">
          Its referral code is <code>{answer.data.code}</code>: who registers with it wins points for both.
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
      <Note title="This wallet has an agent already">
        <p>
          It is <Link href={`/agent/${tokenId}`}>agent #{tokenId}</Link>. Choose another account in your wallet to
          register a second one. Nothing was charged.
        </p>
      </Note>
    );
  return <Refused title="Not registered" problem={problem} />;
}
