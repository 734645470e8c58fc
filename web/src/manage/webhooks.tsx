/** Section: the webhooks of the connected wallet, which deliver events about this agent or others. */
import { useCallback, useState } from "react";
import { Link } from "wouter";
import type { Webhook as Row } from "../api/types.ts";
import { short } from "../formats.ts";
import { Empty, NotYet } from "../parts/states.tsx";
import { useWallet } from "../wallet/session.ts";
import { NeedsSignIn, useSignedRead } from "../wallet/signed-read.tsx";
import { Done } from "./outcome.tsx";
import type { SectionProps } from "./section-props.ts";
import { Webhook } from "./webhook.tsx";
import { NewWebhook } from "./webhook-form.tsx";
import { WEBHOOKS } from "./webhook-operation.ts";

const POLL_MS = 10_000;

export default function Webhooks({ agent }: SectionProps) {
  const address = useWallet()?.address;
  return (
    <>
      <section className="panel stack">
        <h2>Webhooks</h2>
        <p className="muted">
          Events are sent to a URL of yours as they happen, signed. Webhooks belong to the connected wallet{" "}
          {address ? short(address) : ""}; <Link href="/docs/guide/events">the documentation</Link> says how to verify
          them.
        </p>
      </section>
      <NeedsSignIn why="Webhooks are shown to their wallet only. Sign in to see and make yours.">
        <Own agent={agent} />
      </NeedsSignIn>
    </>
  );
}

function Own({ agent }: SectionProps) {
  const { data: answer, error, refetch } = useSignedRead<{ webhooks: Row[] }>(WEBHOOKS, () => POLL_MS);
  // The newest is opened, so that its test is one click away.
  const [made, setMade] = useState<string | null>(null);
  const [ended, setEnded] = useState(false);
  const isMade = useCallback((id: string) => {
    setMade(id);
    setEnded(false);
  }, []);
  if (!answer) return <NotYet error={error} refetch={refetch} rows={4} />;
  const webhooks = answer.data.webhooks.toReversed();
  return (
    <>
      <NewWebhook agent={agent} first={webhooks.length === 0} made={isMade} />
      {ended && <Done>The webhook is ended.</Done>}
      {webhooks.length === 0 && <Empty title="This wallet has no webhook yet" />}
      {webhooks.map((webhook) => (
        <Webhook key={webhook.id} webhook={webhook} open={webhook.id === made} ended={setEnded} />
      ))}
    </>
  );
}
