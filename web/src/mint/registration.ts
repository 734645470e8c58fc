/**
 * A registration that was accepted: kept in this browser, and followed through mint and index until the agent's page
 * has it.
 * Resumes: with what this browser keeps; a mint and its index are asked for while the page is open.
 */
import { queryOptions } from "@tanstack/react-query";
import { useState } from "react";
import { get, Problem } from "../api/answer.ts";
import { agentPath } from "../api/queries.ts";
import type { Agent, MintState, PendingMint, Registration } from "../api/types.ts";
import { keep, kept } from "../stored.ts";

/** `mintId` while the chain is slow; afterwards the token and the block that the index must reach. */
export type AcceptedMint = { at: number } & ({ mintId: string } | { tokenId: number; block: number });

const POLL_MS = 1_500;
/** How long the page shows the end of a registration again, and follows one that the chain has not decided. */
const SHOWN_MS = 3_600_000;
const FOLLOWED_MS = 7 * 86_400_000;
const keyOf = (address: string) => `registered.${address.toLowerCase()}`;

/** What this page knows itself: a private window may refuse storage. */
const known = new Map<string, AcceptedMint>();

function remember(address: string, accepted: AcceptedMint | null): void {
  if (accepted) known.set(keyOf(address), accepted);
  else known.delete(keyOf(address));
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
  const accepted = known.get(keyOf(address)) ?? kept<AcceptedMint>("browser", keyOf(address));
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
export const mintState = (mintId: string) => {
  const path = `/api/v2/mint/${encodeURIComponent(mintId)}`;
  return queryOptions({
    queryKey: [path],
    queryFn: get<MintState>(path),
    retry: false,
    refetchInterval: ({ state }) => (state.data && state.data.data.status !== "pending" ? false : POLL_MS),
  });
};

/** Answers of an index that has not reached the block yet. */
const BEHIND = new Set(["indexer_behind", "not_found", "timeout"]);
export const isBehind = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 0 || error.status >= 500 || BEHIND.has(error.code));

/** The agent as the index shows it from the block of its registration on; asked for until it does. */
export const arrival = ({ tokenId, block }: { tokenId: number; block: number }) => {
  const path = `${agentPath(String(tokenId))}?minBlock=${block}`;
  return queryOptions({
    queryKey: [path],
    queryFn: get<Agent>(path),
    retry: false,
    refetchInterval: ({ state }) => (state.data ? false : POLL_MS),
  });
};
