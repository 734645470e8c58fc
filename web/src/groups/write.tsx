/** The field to write a message, and what was written and is not with the service yet. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { call, Problem } from "../api/answer.ts";
import type { Group, Message } from "../api/types.ts";
import { Button } from "../parts/button.tsx";
import { keep, kept } from "../stored.ts";
import { useWallet } from "../wallet/session.ts";
import { credentialOf, refused } from "../wallet/sign-ins.ts";
import { mayAct } from "./gate.tsx";
import { agentOf, groupPath, membership } from "./queries.ts";

const MAX_LENGTH = 2_000;

/** A message on its way: sent again with the same key, it is one message. */
type Draft = { key: string; content: string; trouble: string | null };

/** @param sent receives each message once the service has it */
export function Write({ group, sent }: { group: Group; sent: (message: Message) => void }) {
  const wallet = useWallet();
  const { data: agent } = useQuery({ ...agentOf(wallet?.address ?? ""), enabled: wallet !== null });
  if (!wallet || !mayAct(agent ?? null, group.minCred)) return null;
  return <Field group={group} address={wallet.address} sent={sent} />;
}

/** Drafts of a group and a wallet, kept in this tab until they are sent or discarded. */
function useDrafts(name: string) {
  // What a reload cut off may have been sent or not: it is offered again, under its key.
  const [drafts, setDrafts] = useState<Draft[]>(() =>
    (kept<Draft[]>("tab", name) ?? []).map((draft) => ({ ...draft, trouble: draft.trouble ?? "" })),
  );
  useEffect(() => keep("tab", name, drafts.length > 0 ? drafts : null), [name, drafts]);
  const put = (draft: Draft) => setDrafts((all) => [...all.filter(({ key }) => key !== draft.key), draft]);
  const drop = (key: string) => setDrafts((all) => all.filter((draft) => draft.key !== key));
  return { drafts, put, drop };
}

function Field({ group, address, sent }: { group: Group; address: string; sent: (message: Message) => void }) {
  const id = useId();
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const { drafts, put, drop } = useDrafts(`drafts.${group.id}.${address.toLowerCase()}`);
  const send = async (draft: Draft) => {
    put({ ...draft, trouble: null });
    let authorization = "";
    try {
      authorization = await credentialOf("siwa");
      const { data } = await call<{ message: Message }>(`${groupPath(group.id)}/send`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json", "idempotency-key": draft.key },
        body: JSON.stringify({ content: draft.content }),
      });
      drop(draft.key);
      sent(data.message);
      void queries.invalidateQueries({ queryKey: membership(group.id, address).queryKey });
    } catch (error) {
      if (error instanceof Problem && error.status === 401) refused(address, authorization, error);
      put({ ...draft, trouble: (error as Error).message });
    }
  };
  const submit = () => {
    const content = text.trim();
    if (content === "") return;
    setText("");
    void send({ key: crypto.randomUUID(), content, trouble: null });
  };
  const onKey = (event: KeyboardEvent) => {
    // Enter chooses a word while a text is composed, as in Japanese.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <>
      <ul className="drafts">
        {drafts.map((draft) => (
          <Waiting key={draft.key} draft={draft} send={() => void send(draft)} drop={() => drop(draft.key)} />
        ))}
      </ul>
      <form
        className="write"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <label className="label" htmlFor={id}>
          Message{" "}
          <span className="faint">signed by your agent's wallet; Enter sends, Shift and Enter makes a line</span>
        </label>
        <textarea
          id={id}
          className="field"
          rows={2}
          maxLength={MAX_LENGTH}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKey}
        />
        <Button type="submit" strong disabled={text.trim() === ""}>
          Send
        </Button>
      </form>
    </>
  );
}

const Waiting = ({ draft, send, drop }: { draft: Draft; send: () => void; drop: () => void }) => (
  <li className="draft" data-failed={draft.trouble !== null || undefined}>
    <p className="message-text">
      <bdi>{draft.content}</bdi>
    </p>
    {draft.trouble === null ? (
      <p className="faint" role="status">
        Sending
      </p>
    ) : (
      <>
        <p className="fault" role="alert">
          Not sent: {draft.trouble}
        </p>
        <p className="actions">
          <Button onClick={send}>Send again</Button>
          <Button onClick={drop}>Discard</Button>
        </p>
      </>
    )}
  </li>
);
