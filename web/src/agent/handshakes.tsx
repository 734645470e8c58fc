/** The handshakes of an own agent, newest first, a few to a page. */
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { get } from "../api/answer.ts";
import type { Handshakes as Page } from "../api/types.ts";
import { age, moment } from "../formats.ts";
import { EXPLORER_REL } from "../parts/address.tsx";
import { Panel } from "../parts/panel.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";

const PAGE_ROWS = 8;

const handshakes = (tokenId: number, page: number) => {
  const path = `/api/v2/agent/${tokenId}/handshakes?limit=${PAGE_ROWS}&page=${page}`;
  return queryOptions({ queryKey: [path], queryFn: get<Page>(path), placeholderData: keepPreviousData });
};

const Other = ({ id, name }: { id: number; name: string | null }) =>
  name === null ? (
    <span>{say("handshakes.unknown", { id: String(id) })}</span>
  ) : (
    <Link href={`/agent/${id}`}>
      <bdi>{name}</bdi>
    </Link>
  );

export function Handshakes({ tokenId, explorer }: { tokenId: number; explorer: string }) {
  const [page, turn] = useState(1);
  const { data: answer, error, refetch } = useQuery(handshakes(tokenId, page));
  const data = answer?.data;
  return (
    <Panel title={say("handshakes.title")}>
      {error && !data ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading rows={2} />
      ) : data.total === 0 ? (
        <p className="muted">{say("handshakes.none")}</p>
      ) : (
        <>
          <ul className="handshakes">
            {data.handshakes.map(({ direction, tokenId: other, name, completedAt, txHash }) => (
              <li key={`${txHash} ${other} ${direction}`}>
                <span>
                  {direction === "sent" ? (
                    <Say k="handshakes.sent" agent={() => <Other id={other} name={name} />} />
                  ) : (
                    <Say k="handshakes.received" agent={() => <Other id={other} name={name} />} />
                  )}
                </span>
                <a className="faint" href={`${explorer}/tx/${txHash}`} rel={EXPLORER_REL} title={moment(completedAt)}>
                  <span className="unseen">{say("handshakes.transaction")} </span>
                  <time dateTime={completedAt}>{age(completedAt)}</time>
                </a>
              </li>
            ))}
          </ul>
          {data.pages > 1 && (
            <div className="actions">
              <button type="button" className="button" disabled={page <= 1} onClick={() => turn(page - 1)}>
                {say("handshakes.newer")}
              </button>
              <span className="muted">{say("handshakes.count", { n: data.total })}</span>
              <button type="button" className="button" disabled={page >= data.pages} onClick={() => turn(page + 1)}>
                {say("handshakes.older")}
              </button>
            </div>
          )}
        </>
      )}
    </Panel>
  );
}
