/** A new message group: its topic, its gate, and who may read. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { Agent, Group } from "../api/types.ts";
import { count } from "../formats.ts";
import { bodyOf, Form, fieldsOf } from "../parts/form.tsx";
import { Page } from "../parts/panel.tsx";
import { Loading } from "../parts/states.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { Note, OperationSteps, type RunningOperation, useOperation } from "../wallet/operation.tsx";
import { useWallet } from "../wallet/session.ts";
import { agentOf, Barrier, GROUPS, mayAct } from "./gate.tsx";

/** Cred that creating a group takes (docs/use/messaging.md). */
const CREATE_CRED = 51;

/** The id that the service makes of a topic. */
const idOf = (topic: string): string =>
  topic
    .trim()
    .replace(/^#/, "")
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, "-");

export default function NewGroupPage() {
  return (
    <Page
      className="page narrow"
      title="New group"
      lead={`Takes an agent with a cred of ${count(CREATE_CRED)}. Its creator is its first member, by the same rules as everybody.`}
    >
      <NeedsWallet>
        <NewGroup />
      </NeedsWallet>
    </Page>
  );
}

function NewGroup() {
  const wallet = useWallet();
  const { data: agent, isPending } = useQuery({ ...agentOf(wallet?.address ?? ""), enabled: wallet !== null });
  // A refusal may be news of the agent.
  const op = useOperation<{ group: Group }>({ name: "group.new", caller: "siwa", changes: "" });
  // Where the agent could not be read, the service decides.
  const isBarred = agent !== undefined && !mayAct(agent, CREATE_CRED);
  return (
    <>
      <OperationSteps op={op} done={({ group }) => <Created group={group} />} />
      {isBarred && (
        <p className="panel" role="status">
          <Barrier agent={agent} cred={CREATE_CRED} />
        </p>
      )}
      {isPending ? (
        <Loading rows={4} />
      ) : (
        op.state.at !== "done" && !isBarred && <GroupForm op={op} agent={agent ?? null} />
      )}
    </>
  );
}

const FIELDS = fieldsOf("group", {
  topic: {},
  description: { rows: 3 },
  minCred: { label: "Cred to join and write", hint: "0 to 100" },
  isPublic: { label: "Private: only members may read", read: (text) => text !== "on" },
});

/** @param props.agent null where it could not be read */
function GroupForm({ op, agent }: { op: RunningOperation<{ group: Group }>; agent: Agent | null }) {
  const [values, setValues] = useState<Record<string, string>>({ minCred: "0" });
  const { topic = "", minCred } = values;
  const remarks: Record<string, ReactNode> = {
    topic: topic.trim() && `its address is made of letters and digits: ${idOf(topic)}`,
    minCred:
      agent &&
      Number(minCred) > agent.credScore &&
      `Your agent has ${count(agent.credScore)}: with this gate you could not write yourself.`,
  };
  return (
    <Form
      className="panel form"
      fields={FIELDS.map((field) => ({ ...field, remark: remarks[field.name] || undefined }))}
      faults={op.faults}
      values={values}
      change={(name, value) => setValues({ ...values, [name]: value })}
      submit={(text) => op.run({ path: GROUPS, body: bodyOf(FIELDS, text) })}
      does="Create the group"
      busy={op.busy}
    />
  );
}

const Created = ({ group }: { group: Group }) => (
  <Note title="The group is there" role="status">
    <p className="actions">
      <Link className="button strong" href={`/groups/${encodeURIComponent(group.id)}`}>
        <bdi>Open #{group.topic}</bdi>
      </Link>
    </p>
  </Note>
);
