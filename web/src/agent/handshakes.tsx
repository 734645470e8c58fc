/** The handshakes of an own agent, newest first, a few to a page. */

import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get } from "../api/answer.ts";
import type { Handshakes as Page } from "../api/types.ts";
import { age, counted, moment } from "../formats.ts";
import { EXPLORER_REL } from "../parts/address.tsx";
import { Button } from "../parts/button.tsx";
import { Named } from "../parts/named.tsx";
import { NotYet } from "../parts/states.tsx";
import { AgentPanel } from "./agent-panel.tsx";

const PAGE_ROWS = 8;

const handshakes = (tokenId: number, page: number) => {
  const path = `/api/v2/agent/${tokenId}/handshakes?limit=${PAGE_ROWS}&page=${page}`;
  return queryOptions({ queryKey: [path], queryFn: get<Page>(path), placeholderData: keepPreviousData });
};

const Other = ({ id, name }: { id: number; name: string | null }) =>
  name === null ? <span>agent {id}</span> : <Named href={`/agent/${id}`} name={name} />;

export function Handshakes({ tokenId, explorer }: { tokenId: number; explorer: string }) {
  const [page, turn] = useState(1);
  const { data: answer, error, refetch } = useQuery(handshakes(tokenId, page));
  const data = answer?.data;
  return (
    <AgentPanel id="handshakes" title="Handshakes">
      {!data ? (
        <NotYet error={error} refetch={refetch} rows={2} />
      ) : data.total === 0 ? (
        <p className="muted">No handshake is recorded on the chain yet.</p>
      ) : (
        <>
          <ul className="handshakes">
            {data.handshakes.map(({ direction, tokenId: other, name, completedAt, txHash }) => (
              <li key={`${txHash} ${other} ${direction}`}>
                <span>
                  {direction === "sent" ? (
                    <>
                      with <Other id={other} name={name} />, begun by this agent
                    </>
                  ) : (
                    <>
                      with <Other id={other} name={name} />, begun by the other
                    </>
                  )}
                </span>
                <a className="faint" href={`${explorer}/tx/${txHash}`} rel={EXPLORER_REL} title={moment(completedAt)}>
                  <span className="unseen">transaction </span>
                  <time dateTime={completedAt}>{age(completedAt)}</time>
                </a>
              </li>
            ))}
          </ul>
          {data.pages > 1 && (
            <div className="actions">
              <Button disabled={page <= 1} onClick={() => turn(page - 1)}>
                Newer
              </Button>
              <span className="muted">{counted(data.total, "handshake", "handshakes")}</span>
              <Button disabled={page >= data.pages} onClick={() => turn(page + 1)}>
                Older
              </Button>
            </div>
          )}
        </>
      )}
    </AgentPanel>
  );
}
