/** How what an agent offers has changed, the newest first: tools, prices, who is paid, and its owner. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { agentPath, pagesOf } from "../api/queries.ts";
import type { OfferHistory } from "../api/types.ts";
import { count, counted, dollars } from "../formats.ts";
import { Action, Icon } from "../parts/button.tsx";
import { Address } from "../parts/copy.tsx";
import { Party } from "../parts/party.tsx";
import { NotYet } from "../parts/states.tsx";
import { AgentPanel } from "./agent-panel.tsx";
import { Names, Registered, When } from "./timeline.tsx";

type Recorded = OfferHistory["changes"][number];
type Change = Recorded["change"];
type Props = { of: { agentRef: string; platform: string }; created?: string | null };

/** @param props.created when its registry has it since; the list ends with it */
export function OfferChanges({ of: { agentRef, platform }, created }: Props) {
  const path = `${agentPath(agentRef)}/offers/history?platform=${platform}`;
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    pagesOf<OfferHistory>(path),
  );
  const changes = data?.pages.flatMap((page) => page.data.changes) ?? [];
  return (
    <AgentPanel id="changes" title="What has changed" brief="tools, prices, who is paid, owner">
      {!data ? (
        <NotYet error={error} refetch={refetch} rows={2} />
      ) : (
        <div className="stack">
          {changes.length === 0 && (
            <p className="muted">
              {data.pages[0]!.data.versions.length === 0
                ? "What it offers was not read yet."
                : "Nothing that it offers has changed since it was first read."}
            </p>
          )}
          <ol className="timeline">
            {changes.map((change) => (
              <Line key={change.id} of={change} />
            ))}
            {created && !hasNextPage && <Registered at={created} />}
          </ol>
          {hasNextPage && (
            <Action disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show older
            </Action>
          )}
        </div>
      )}
    </AgentPanel>
  );
}

function Line({ of: { change, changes, endpoint, at } }: { of: Recorded }) {
  const isRecipient = change.payTo.length > 0;
  return (
    <li>
      <span className="timeline-mark" data-bad={isRecipient || undefined}>
        <Icon name={isRecipient ? "warn" : "rows"} />
      </span>
      <div>
        <Said of={change} />
        {changes > 1 && <p className="faint">{counted(changes, "change", "changes")} in one line.</p>}
        {endpoint && (
          <p className="faint small clip" title={endpoint.url}>
            {endpoint.url}
          </p>
        )}
      </div>
      <When at={at} txHash={null} />
    </li>
  );
}

function Said({ of }: { of: Change }) {
  const { owner, payTo, prices, changed, added, removed, more } = of;
  return (
    <>
      {owner && (
        <p>
          Changed hands, from <Account of={owner.from} /> to <Account of={owner.to} />
        </p>
      )}
      {payTo.map(({ name, from, to }, i) => (
        <p key={`${name} ${i}`}>
          <b>Who is paid changed</b> for <bdi>{name}</bdi>: <Repaid from={from} to={to} />
        </p>
      ))}
      {prices.map(({ name, from, to }, i) => (
        <p key={`${name} ${i}`}>
          <b>Price</b> of <bdi>{name}</bdi>: {priceOf(from)} → {priceOf(to)}.
        </p>
      ))}
      {changed.map(({ name, parts }, i) => (
        <p key={`${name} ${i}`}>
          Changed: {parts.map((part) => PARTS[part]).join(", ")} of <bdi>{name}</bdi>.
        </p>
      ))}
      {added.length + removed.length > 0 && <p>Tools, skills or resources came or went.</p>}
      <Names of={added} sign="+" />
      <Names of={removed} sign="−" />
      {more > 0 && <p className="faint">And {count(more)} more.</p>}
    </>
  );
}

/** Accounts that went, and those that came. */
function Repaid({ from, to }: { from: string[]; to: string[] }) {
  const gone = from.filter((one) => !to.includes(one)).map((account) => ({ account, says: "gone: ", sign: "−" }));
  const came = to.filter((one) => !from.includes(one)).map((account) => ({ account, says: "new: ", sign: "+" }));
  if (gone.length + came.length === 0) return <>the same accounts, for other amounts</>;
  return [...gone, ...came].map(({ account, says, sign }) => (
    <span key={account}>
      <span className="unseen">{says}</span>
      <span aria-hidden="true">{sign} </span>
      <Account of={account} />{" "}
    </span>
  ));
}

/** An account of any chain; null and undefined are nobody. */
function Account({ of }: { of: string | null | undefined }) {
  if (!of) return <>nobody known</>;
  return /^0x[0-9a-f]{40}$/i.test(of) ? <Party address={of} /> : <Address address={of} />;
}

const priceOf = ({ usd }: Change["prices"][number]["from"]): string => (usd === null ? "other terms" : dollars(usd));

const PARTS: Record<Change["changed"][number]["parts"][number], string> = {
  name: "name",
  description: "description",
  endpoint: "address",
  method: "method",
  inputSchema: "input",
};
