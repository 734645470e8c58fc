/** Remarks while one types: who holds a name, whose a referral code is, and what the connected wallet has already. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Link } from "wouter";
import { BONUSES } from "../../../core/mints/bonuses.ts";
import { Problem } from "../api/answer.ts";
import { agent as agentQuery, asked } from "../api/queries.ts";
import type { NameCheck, OgWallets, ReferralCode } from "../api/types.ts";
import { count } from "../formats.ts";
import type { ConnectedWallet } from "../wallet/session.ts";

/** Milliseconds without a key before the service is asked. */
const PAUSE_MS = 300;
/** Answers are reused for this long, milliseconds. */
const HOLDS_MS = 30_000;

/** The value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

const useCheck = <T,>(path: string | null) =>
  useQuery({ ...asked<T>(path ?? ""), enabled: path !== null, retry: false, staleTime: HOLDS_MS });

const NOT_CHECKED = "It could not be looked up. The service checks it when you register.";

/** Names of the .agent namespace, with or without the ending. */
const NAMESPACE = /^[0-9a-z_-]{2,32}(?:\.agent)?$/i;

/** What is known about a name: a display name may be anyone's, a .agent name has one holder. */
export function useNameRemark(typed: string): ReactNode {
  const name = useSettled(typed.trim());
  const fits = NAMESPACE.test(name);
  const { data: answer, error } = useCheck<NameCheck>(fits ? `/api/v2/name/${encodeURIComponent(name)}` : null);
  if (name === "") return "1 to 64 characters, shown everywhere.";
  if (!fits) return "Fine as a display name. It cannot be a .agent name: those have 2 to 32 of a-z, 0-9, - and _.";
  if (error) return NOT_CHECKED;
  if (!answer || typed.trim() !== name) return "Looking it up.";
  const { name: full, tokenId } = answer.data;
  if (tokenId === null)
    return `${full} is free. Registering here does not take it: it is the contract that gives .agent names.`;
  return (
    <span className="warn-text">
      {full} is taken by <Link href={`/agent/${tokenId}`}>agent #{tokenId}</Link>. You may use the name for display, but
      people may take you for that agent.
    </span>
  );
}

const CODE = /^[a-z0-9-]{1,32}$/i;

/** Whose a referral code is, and what it brings. */
export function useReferralRemark(typed: string): ReactNode {
  const code = useSettled(typed.trim());
  const fits = CODE.test(code);
  const { data: answer, error } = useCheck<ReferralCode>(fits ? `/api/v2/referral/${encodeURIComponent(code)}` : null);
  if (code === "") return `The code of another agent brings you ${count(BONUSES.minter.points)} points.`;
  if (!fits || (error instanceof Problem && error.status === 404))
    return <span className="warn-text">No agent has this code. Correct it or leave it empty.</span>;
  if (error) return NOT_CHECKED;
  if (!answer || typed.trim() !== code) return "Looking it up.";
  const { referrer, bonusPoints } = answer.data;
  return (
    <>
      The code of{" "}
      <b>
        <bdi>{referrer}</bdi>
      </b>
      : you get {count(bonusPoints)} points, it gets {count(BONUSES.referrer.points)}.
    </>
  );
}

/** The V1 identity of a wallet, whose registration is free; null without one. */
export function useOg(wallet: ConnectedWallet | null): Extract<OgWallets, { isOG: true }> | null {
  const { data: answer } = useCheck<OgWallets>(wallet && `/api/v2/og/${wallet.address}`);
  return answer?.data.isOG ? answer.data : null;
}

/** Says before the form is filled in what the connected wallet is already, and what a V1 wallet is granted. */
export function WalletRemark({ wallet }: { wallet: ConnectedWallet }) {
  const { data: answer } = useQuery({ ...agentQuery(wallet.address), retry: false, placeholderData: undefined });
  const og = useOg(wallet);
  const agent = answer?.data;
  if (agent?.walletConfirmed)
    return (
      <p className="note-line" role="status">
        This wallet has an agent already:{" "}
        <Link href={`/agent/${agent.tokenId}`}>
          <bdi>{agent.name}</bdi> #{agent.tokenId}
        </Link>
        . Choose another account in your wallet to register a second one.
      </p>
    );
  return og ? (
    <p className="note-line good" role="status">
      This wallet held the V1 identity {og.v1Name}: its registration is free and brings {count(og.benefits.bonusPoints)}{" "}
      points.
    </p>
  ) : null;
}
