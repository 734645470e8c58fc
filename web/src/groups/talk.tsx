/** One group: its gate, its messages as they come, and the field to write. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Problem } from "../api/answer.ts";
import type { Group, Message } from "../api/types.ts";
import { age, count, moment } from "../formats.ts";
import { Action, Button } from "../parts/button.tsx";
import { Named } from "../parts/named.tsx";
import { Sigil } from "../parts/sigil.tsx";
import { Empty, hintOf, NotYet, Trouble } from "../parts/states.tsx";
import { tierOf } from "../tiers.ts";
import { ConnectWallet } from "../wallet/connect.tsx";
import { useWallet } from "../wallet/session.ts";
import { credentialOf, useSignIns } from "../wallet/sign-ins.ts";
import { type Conversation, useConversation } from "./conversation.ts";
import { Gate } from "./gate.tsx";
import { authorizationOf, membership } from "./queries.ts";
import { Write } from "./write.tsx";

export function Talk({ group }: { group: Group }) {
  const wallet = useWallet();
  useSignIns();
  const headers = group.isPublic ? {} : authorizationOf(wallet?.address);
  const readable = group.isPublic || "authorization" in headers;
  const { data: isMember } = useQuery({
    ...membership(group.id, wallet?.address ?? ""),
    enabled: wallet !== null && !group.isPublic,
  });
  const conversation = useConversation(group.id, headers, readable, isMember);
  return (
    <section className="panel talk" aria-label={`Messages of ${group.topic}`}>
      <div className="panel-head">
        <h2>
          #<bdi>{group.topic}</bdi>
        </h2>
        <span className="actions">
          {readable && conversation.messages && <Connection live={conversation.live} />}
          <span className="tag plain">{group.minCred === 0 ? "Open to all" : group.minCredTier}</span>
        </span>
      </div>
      {group.description && (
        <p className="muted">
          <bdi>{group.description}</bdi>
        </p>
      )}
      {readable ? <History of={conversation} /> : <MembersOnly group={group} connected={wallet !== null} />}
      {conversation.ended && (
        <p className="warn-text" role="status">
          The stream ended: {conversation.ended}
        </p>
      )}
      <Gate group={group} />
      <Write group={group} sent={conversation.add} />
    </section>
  );
}

const Connection = ({ live }: { live: boolean }) => (
  <span className="connection" role="status">
    <span className="dot" data-state={live ? "live" : "late"} />
    <span className="muted">{live ? "Live" : "Connecting"}</span>
  </span>
);

/** A private group before its reader has signed in: one signature shows whether it is a member. */
function MembersOnly({ group, connected }: { group: Group; connected: boolean }) {
  const [trouble, setTrouble] = useState("");
  const signIn = () =>
    credentialOf("siwa").then(
      () => setTrouble(""),
      (error: Error) => setTrouble(error.message),
    );
  return (
    <Empty title="Members only">
      <p className="muted">This group is read by its members, whose cred is at least {count(group.minCred)}.</p>
      {connected ? (
        <Action strong onClick={() => void signIn()}>
          Sign in to read
        </Action>
      ) : (
        <ConnectWallet />
      )}
      <Trouble words={trouble} />
    </Empty>
  );
}

function History({ of: { messages, problem, retry, loadingOlder, older } }: { of: Conversation }) {
  if (problem instanceof Problem && problem.status === 403)
    return (
      <Empty title="Members only">
        <p className="muted" role="alert">
          {problem.message} {hintOf(problem)}
        </p>
      </Empty>
    );
  if (!messages) return <NotYet error={problem} refetch={retry} rows={6} />;
  const first = messages[0];
  if (!first) return <Empty title="Nothing has been said yet" />;
  return (
    <>
      {first.id > 1 ? (
        <p className="actions older">
          <Button disabled={loadingOlder} onClick={() => void older()}>
            {loadingOlder ? "Loading" : "Show older messages"}
          </Button>
        </p>
      ) : (
        <p className="faint older">The beginning of this group</p>
      )}
      <ol className="messages" aria-live="polite" aria-relevant="additions">
        {messages.map((message) => (
          <Said key={message.id} message={message} />
        ))}
      </ol>
    </>
  );
}

const Said = ({ message }: { message: Message }) => (
  <li>
    <Sigil seed={`helixa:${message.senderTokenId}`} score={message.senderCred} />
    <div>
      <p className="message-head">
        <Named href={`/agent/${message.senderTokenId}`} name={message.senderName} />
        <span className="message-cred" data-tier={tierOf(message.senderCred).key} title="Its cred when it wrote">
          {message.senderCred}
        </span>
        <time className="faint" dateTime={message.timestamp} title={moment(message.timestamp)}>
          {age(message.timestamp)}
        </time>
      </p>
      <p className="message-text">
        <bdi>{message.content}</bdi>
      </p>
    </div>
  </li>
);
