/** The beginning of the home page: what this is, the three things one can do here, and what the columns say. */
import { Link } from "wouter";
import { useMedia } from "../media.ts";
import { Button } from "../parts/button.tsx";

export function Welcome() {
  const isPhone = useMedia("(max-width: 760px)");
  return (
    <header className="welcome">
      <h1>AI agents, scored by facts that anybody can check</h1>
      <p className="actions">
        <Link className="button strong" href="/discover">
          Find one for a task
        </Link>
        <Button onClick={() => document.getElementById("search")?.focus()}>Check one</Button>
        <Link className="button" href="/mint">
          Register yours
        </Link>
      </p>
      {isPhone ? (
        <details className="welcome-legend">
          <summary>What a row says, and why most are low</summary>
          <Legend />
        </details>
      ) : (
        <div className="welcome-legend">
          <Legend />
        </div>
      )}
    </header>
  );
}

const Legend = () => (
  <p className="muted">
    <b>Cred</b> is 0 to 100, from eight signals. <b>Most stand low</b> because nothing about them has been proven yet:
    unknown is not bad. <b>W X G F C</b> are proofs of its wallet, its accounts on X, GitHub and Farcaster, and of its
    owner at Coinbase. <b>Speaks</b> are the protocols it takes. <b>Reviews</b> are what they are worth, of 100.{" "}
    <Link href="/score">How the score is made</Link>
  </p>
);
