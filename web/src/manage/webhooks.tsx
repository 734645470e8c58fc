/** Section: the webhooks of the connected wallet, which deliver events about this agent or others. */

import { useCallback, useState } from "react";
import { Link } from "wouter";
import type { Webhook as Row } from "../api/types.ts";
import { short } from "../formats.ts";
import { Empty, Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
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
        <h2>{say("prove.webhooks")}</h2>
        <p className="muted">
          <Say
            k="prove.webhooks.lead"
            address={address ? short(address) : ""}
            events={(text) => <Link href="/docs/guide/events">{text}</Link>}
          />
        </p>
      </section>
      <NeedsSignIn why={say("prove.webhooks.signIn")}>
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
  if (error && !answer) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!answer) return <Loading rows={4} />;
  const webhooks = answer.data.webhooks.toReversed();
  return (
    <>
      <NewWebhook agent={agent} first={webhooks.length === 0} made={isMade} />
      {ended && <Done>{say("prove.webhooks.ended")}</Done>}
      {webhooks.length === 0 && <Empty title={say("prove.webhooks.none")} />}
      {webhooks.map((webhook) => (
        <Webhook key={webhook.id} webhook={webhook} open={webhook.id === made} ended={setEnded} />
      ))}
    </>
  );
}
