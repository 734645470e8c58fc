/** Remarks while one types: who holds a name, whose a referral code is, and what the connected wallet has already. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Link } from "wouter";
import { BONUSES } from "../../../core/mints/bonuses.ts";
import { get, Problem } from "../api/answer.ts";
import { agent as agentQuery } from "../api/queries.ts";
import type { NameCheck, OgWallets, ReferralCode } from "../api/types.ts";
import { Say, say } from "../say.tsx";
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
  useQuery({
    queryKey: [path],
    queryFn: get<T>(path ?? ""),
    enabled: path !== null,
    retry: false,
    staleTime: HOLDS_MS,
  });

/** Names of the .agent namespace, with or without the ending. */
const NAMESPACE = /^[0-9a-z_-]{2,32}(?:\.agent)?$/i;

/** What is known about a name: a display name may be anyone's, a .agent name has one holder. */
export function useNameRemark(typed: string): ReactNode {
  const name = useSettled(typed.trim());
  const fits = NAMESPACE.test(name);
  const { data: answer, error } = useCheck<NameCheck>(fits ? `/api/v2/name/${encodeURIComponent(name)}` : null);
  if (name === "") return say("mint.nameRule");
  if (!fits) return say("mint.nameOutside");
  if (error) return say("mint.notChecked");
  if (!answer || typed.trim() !== name) return say("mint.checking");
  const { name: full, tokenId } = answer.data;
  if (tokenId === null) return say("mint.nameFree", { name: full });
  return (
    <span className="warn-text">
      <Say
        k="mint.nameTaken"
        name={full}
        id={String(tokenId)}
        holder={(text) => <Link href={`/agent/${tokenId}`}>{text}</Link>}
      />
    </span>
  );
}

const CODE = /^[a-z0-9-]{1,32}$/i;

/** Whose a referral code is, and what it brings. */
export function useReferralRemark(typed: string): ReactNode {
  const code = useSettled(typed.trim());
  const fits = CODE.test(code);
  const { data: answer, error } = useCheck<ReferralCode>(fits ? `/api/v2/referral/${encodeURIComponent(code)}` : null);
  if (code === "") return say("mint.referralRule", { points: BONUSES.minter.points });
  if (!fits || (error instanceof Problem && error.status === 404))
    return <span className="warn-text">{say("mint.referralUnknown")}</span>;
  if (error) return say("mint.notChecked");
  if (!answer || typed.trim() !== code) return say("mint.checking");
  const { referrer, bonusPoints } = answer.data;
  return (
    <Say
      k="mint.referralOf"
      points={bonusPoints}
      theirs={BONUSES.referrer.points}
      name={() => (
        <b>
          <bdi>{referrer}</bdi>
        </b>
      )}
    />
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
        <Say
          k="mint.walletHasAgent"
          agent={() => (
            <Link href={`/agent/${agent.tokenId}`}>
              <bdi>{agent.name}</bdi> #{agent.tokenId}
            </Link>
          )}
        />
      </p>
    );
  return og ? (
    <p className="note-line good" role="status">
      {say("mint.og", { name: og.v1Name, points: og.benefits.bonusPoints })}
    </p>
  ) : null;
}
