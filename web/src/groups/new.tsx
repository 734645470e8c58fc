/** A new message group: its topic, its gate, and who may read. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { Agent, Group } from "../api/types.ts";
import { count } from "../formats.ts";
import { Check, type FieldEntry, Form } from "../parts/form.tsx";
import { Page } from "../parts/panel.tsx";
import { Loading } from "../parts/states.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { Note, OperationSteps, type RunningOperation, useOperation } from "../wallet/operation.tsx";
import { useWallet } from "../wallet/session.ts";
import { agentOf, Barrier, GROUPS, groups, mayAct } from "./gate.tsx";

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
  const queries = useQueryClient();
  const mine = agentOf(wallet?.address ?? "");
  const { data: agent, isPending } = useQuery({ ...mine, enabled: wallet !== null });
  const op = useOperation<{ group: Group }>({ name: "group.new", caller: "siwa" });
  const asked = async () => {
    // A refusal may be news of the agent.
    await Promise.all([groups, mine].map(({ queryKey }) => queries.invalidateQueries({ queryKey })));
  };
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
        op.state.at !== "done" && !isBarred && <GroupForm op={op} agent={agent ?? null} asked={asked} />
      )}
    </>
  );
}

type FormProps = {
  op: RunningOperation<{ group: Group }>;
  /** Null where it could not be read. */
  agent: Agent | null;
  /** Called when the service has answered. */
  asked: () => Promise<void>;
};

function GroupForm({ op, agent, asked }: FormProps) {
  const [values, setValues] = useState({ topic: "", description: "", minCred: "0" });
  const { topic, description, minCred } = values;
  const [isPrivate, setPrivate] = useState(false);
  const submit = async () => {
    const about = description.trim();
    await op.run({
      method: "POST",
      path: GROUPS,
      body: {
        topic: topic.trim(),
        ...(about && { description: about }),
        minCred: Number(minCred),
        isPublic: !isPrivate,
      },
    });
    await asked();
  };
  const address = topic.trim() && { remark: `its address is made of letters and digits: ${idOf(topic)}` };
  const barred = agent &&
    Number(minCred) > agent.credScore && {
      remark: `Your agent has ${count(agent.credScore)}: with this gate you could not write yourself.`,
    };
  return (
    <Form
      className="panel form"
      fields={[
        { name: "topic", label: "Topic", max: 48, ...address },
        { name: "description", label: "Description", rows: 3, max: 280, optional: true },
        { ...GATE, ...barred },
      ]}
      faults={op.faults}
      values={values}
      change={(name, value) => setValues({ ...values, [name]: value })}
      submit={submit}
      does="Create the group"
      busy={op.busy}
    >
      <Check name="private" checked={isPrivate} onChange={({ target }) => setPrivate(target.checked)}>
        Private: only members may read
      </Check>
    </Form>
  );
}

const GATE: FieldEntry = {
  ...{ name: "minCred", type: "number", inputMode: "numeric" },
  ...{ label: "Cred to join and write", hint: "0 to 100" },
};

const Created = ({ group }: { group: Group }) => (
  <Note title="The group is there" role="status">
    <p className="actions">
      <Link className="button strong" href={`/groups/${encodeURIComponent(group.id)}`}>
        <bdi>Open #{group.topic}</bdi>
      </Link>
    </p>
  </Note>
);
