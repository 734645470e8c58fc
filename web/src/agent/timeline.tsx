/** What happened to an agent, the newest first: the events of the log, and the changes of its score with their causes. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { causeSays } from "../../../core/cred/cred-causes.ts";
import type { EventData, EventType } from "../../../core/events/events.ts";
import { PROOF_BADGE_LIST } from "../../../core/proof-platforms/badges.ts";
import { liveEvery } from "../api/events.ts";
import { agentPath, pagesOf } from "../api/queries.ts";
import type { AgentEvents, CredPoint } from "../api/types.ts";
import { count, counted, date, moment } from "../formats.ts";
import { Action, Icon } from "../parts/button.tsx";
import { TxLink } from "../parts/copy.tsx";
import { TierShape } from "../parts/cred.tsx";
import { Party } from "../parts/party.tsx";
import { ProblemNote } from "../parts/states.tsx";
import { tierOf } from "../tiers.ts";

/** A change of the score: what it was before is known but of the first in the span. */
type Step = CredPoint & { previous: number | null };
type Entry = { at: string; key: string } & ({ events: [AgentEvent, ...AgentEvent[]] } | { steps: [Step, ...Step[]] });

/** Changes of the score in a row from which on they become one line. */
const FOLDED_FROM = 3;
/** Entries shown before the rest is asked for. */
const FIRST_ENTRIES = 12;

/** Whether two are changes of the score, or events of one sentence, which is then shown once. */
const isAlike = (one: Entry, other: Entry): boolean =>
  "steps" in one
    ? "steps" in other
    : "events" in other &&
      one.events[0].type === other.events[0].type &&
      JSON.stringify(one.events[0].data) === JSON.stringify(other.events[0].data);

/** Puts events and changes of the score in one order, the newest first; those in a row that are alike become one entry. */
function entriesOf(points: readonly CredPoint[], events: readonly AgentEvent[], since: number): Entry[] {
  const steps = points.map((point, i): Entry => {
    return { at: point.at, key: `${point.at} ${i}`, steps: [{ ...point, previous: points[i - 1]?.score ?? null }] };
  });
  const all = [
    ...steps.toReversed(),
    ...events.map((event): Entry => ({ at: event.at, key: event.id, events: [event] })),
  ]
    .filter(({ at }) => Date.parse(at) >= since)
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const entries: Entry[] = [];
  for (let i = 0; i < all.length; ) {
    const run = runAt(all, i);
    entries.push(...run.entries);
    i += run.length;
  }
  return entries;
}

/** Entries from a place on that are alike, as they are shown. */
function runAt(all: readonly Entry[], start: number): { entries: Entry[]; length: number } {
  const first = all[start]!;
  const end = all.findIndex((entry, i) => i > start && !isAlike(first, entry));
  const run = all.slice(start, end < 0 ? undefined : end);
  if ("steps" in first) {
    const steps = run.flatMap((entry) => ("steps" in entry ? entry.steps : [])) as [Step, ...Step[]];
    return { entries: steps.length < FOLDED_FROM ? run : [{ ...first, steps }], length: run.length };
  }
  const events = run.flatMap((entry) => ("events" in entry ? entry.events : [])) as [AgentEvent, ...AgentEvent[]];
  return { entries: [{ ...first, events }], length: run.length };
}

const eventsOf = (tokenId: number) => ({
  ...pagesOf<AgentEvents>(`${agentPath(String(tokenId))}/events?type=${Object.keys(ICONS).join()}`),
  ...liveEvery(),
});

type Props = { of: { tokenId: number; mintedAt: string }; points: CredPoint[]; days: number };

export function Timeline({ of: { tokenId, mintedAt }, points, days }: Props) {
  const [all, showAll] = useState(false);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(eventsOf(tokenId));
  if (error && !data) return <ProblemNote error={error} retry={() => void refetch()} />;
  const events = data?.pages.flatMap((page) => page.data.events) ?? [];
  const from = Date.now() - days * 86_400_000;
  // Scores older than the oldest event that was read are not shown yet: events that belong between them are missing.
  const since = hasNextPage && events.length > 0 ? Math.max(from, Date.parse(events.at(-1)!.at)) : from;
  const entries = entriesOf(points, events, since);
  const shown = all ? entries : entries.slice(0, FIRST_ENTRIES);
  const whole = shown.length === entries.length && !hasNextPage;
  return (
    <div className="stack" aria-busy={!data}>
      {entries.length === 0 && data && <p className="muted">Nothing has happened in these {count(days)} days.</p>}
      <ol className="timeline">
        {shown.map((entry) => (
          <Line key={entry.key} entry={entry} />
        ))}
        {whole && data && !events.some(({ type }) => type === "agent.registered") && (
          <Registered at={mintedAt}>
            {data.pages[0]!.data.since && Date.parse(mintedAt) < Date.parse(data.pages[0]!.data.since) && (
              <> The log goes back to {date(data.pages[0]!.data.since)}; scores go back further.</>
            )}
          </Registered>
        )}
      </ol>
      {!whole && (
        <Action disabled={isFetchingNextPage} onClick={() => (all ? void fetchNextPage() : showAll(true))}>
          Show older
        </Action>
      )}
    </div>
  );
}

/** The end of a timeline. */
export const Registered = ({ at, children }: { at: string; children?: ReactNode }) => (
  <li className="faint">
    <span>
      Registered on {date(at)}.{children}
    </span>
  </li>
);

function Line({ entry }: { entry: Entry }) {
  if ("steps" in entry) return <Scored at={entry.at} steps={entry.steps} />;
  const [event] = entry.events;
  const says = whatHappened(event);
  const icon = ICONS[event.type as ShownType];
  return (
    <li>
      <span className="timeline-mark" data-bad={icon === "warn" || undefined}>
        <Icon name={icon} />
      </span>
      {entry.events.length === 1 ? (
        <span>{says}</span>
      ) : (
        <details>
          <summary>
            {says} <span className="faint">× {count(entry.events.length)}</span>
          </summary>
          <ol>
            {entry.events.map(({ id, at, txHash }) => (
              <li key={id}>
                <When at={at} txHash={txHash} />
              </li>
            ))}
          </ol>
        </details>
      )}
      <When at={entry.at} txHash={event.txHash} />
    </li>
  );
}

function Scored({ at, steps }: { at: string; steps: [Step, ...Step[]] }) {
  const [newest] = steps;
  const oldest = steps.at(-1)!;
  const { key } = tierOf(newest.score);
  return (
    <li data-tier={key}>
      <span className="timeline-mark">
        <TierShape tier={key} />
      </span>
      {steps.length === 1 ? (
        <span>
          <Change of={newest} />
        </span>
      ) : (
        <details>
          <summary>
            {counted(steps.length, "change", "changes")} of the score: {count(oldest.previous ?? oldest.score)} →{" "}
            {count(newest.score)}
          </summary>
          <ol>
            {steps.map((step, i) => (
              <li key={`${step.at}${steps.length - i}`}>
                <Change of={step} /> <span className="faint">{moment(step.at)}</span>
              </li>
            ))}
          </ol>
        </details>
      )}
      <When at={at} txHash={null} />
    </li>
  );
}

function Change({ of: { score, previous, cause } }: { of: Step }) {
  const tier = tierOf(score);
  const moved = previous !== null && tierOf(previous).key !== tier.key;
  return (
    <>
      <b>{previous === null ? `Score ${count(score)}` : `Score ${count(previous)} → ${count(score)}`}</b>
      {moved && ` (${tier.label})`}: {causeSays(cause)}.
    </>
  );
}

export const When = ({ at, txHash }: { at: string; txHash: string | null }) => {
  const time = <time dateTime={at}>{moment(at)}</time>;
  if (txHash === null) return <span className="faint timeline-when">{time}</span>;
  return (
    <TxLink className="faint timeline-when" hash={txHash}>
      <span className="unseen">Transaction of </span>
      {time}
    </TxLink>
  );
};

/** Types of the events of an agent that are shown, with their icons: all but its scores, whose history is kept for longer, and its messages. */
const ICONS = {
  "agent.registered": "agent",
  "agent.updated": "rows",
  "agent.transferred": "compare",
  "agent.verified": "check",
  "proof.lapsed": "warn",
  "attestation.revoked": "warn",
} as const satisfies Partial<Record<EventType, Parameters<typeof Icon>[0]["name"]>>;
type ShownType = keyof typeof ICONS;
type AgentEvent = AgentEvents["events"][number];

type ChangedPart = EventData<"agent.updated">["changed"][number];
const PARTS: Record<ChangedPart, string> = {
  personality: "personality",
  narrative: "narrative",
  social: "social links",
  services: "services",
  skills: "skills",
  domains: "domains",
  metadata: "metadata",
  traits: "traits",
  name: "name",
  version: "version",
  points: "points",
  operator: "operator",
  coinbase: "attestation of the exchange",
  handshakes: "handshakes",
  tools: "what its endpoints offer",
};

const labelOf = (platform: string): string => PROOF_BADGE_LIST.find(({ key }) => key === platform)?.label ?? platform;

const ATTESTED = "The exchange’s attestation of its owner was accepted";

/** What a change of one part on chain is called. */
const ON_CHAIN: Partial<Record<ChangedPart, string>> = {
  personality: "The personality was written on chain",
  narrative: "The narrative was written on chain",
  traits: "A trait was added on chain",
  name: "A name was registered or handed on",
  version: "The agent mutated to a new version",
  points: "Points were awarded on chain",
  operator: "An operator was approved",
  coinbase: ATTESTED,
  handshakes: "A handshake was completed",
};

function updated({ changed, storage, points, added, removed }: EventData<"agent.updated">): ReactNode {
  const parts = changed.map((part) => PARTS[part]).join(", ");
  const only = changed.length === 1 ? changed[0] : undefined;
  const says =
    storage === "offchain"
      ? `Changed: ${parts}`
      : points
        ? `${counted(points.amount, "point was", "points were")} awarded on chain`
        : ((only && ON_CHAIN[only]) ?? `Changed on chain: ${parts}`);
  return (
    <>
      {says}
      {points && (
        <>
          , for <bdi>{points.reason.replaceAll("_", " ")}</bdi>
        </>
      )}
      <Names of={added} sign="+" />
      <Names of={removed} sign="−" />
    </>
  );
}

/** Names of what came or went. @param props.sign says which */
export const Names = ({ of = [], sign }: { of: readonly string[] | undefined; sign: string }) =>
  of.length > 0 && (
    <span className="timeline-names">
      {of.map((name) => (
        <span key={name} className="tag plain">
          <span className="unseen">{sign === "+" ? "new:" : "gone:"} </span>
          <span aria-hidden="true">{sign} </span>
          <bdi>{name}</bdi>
        </span>
      ))}
    </span>
  );

/** One sentence for each type of event that is shown. */
const SENTENCES: { [T in ShownType]: (data: EventData<T>) => ReactNode } = {
  "agent.registered": ({ name, framework }) => (
    <>
      Registered as <bdi>{name}</bdi>, made with <bdi>{framework}</bdi>.
    </>
  ),
  "agent.updated": updated,
  "agent.transferred": ({ from, to }) => (
    <>
      Changed hands, from <Party address={from} /> to <Party address={to} />.
    </>
  ),
  "agent.verified": ({ method, handle }) =>
    method === "wallet" ? (
      "The wallet was proven."
    ) : method === "coinbase" ? (
      ATTESTED
    ) : (
      <>
        The account <bdi>{handle ?? ""}</bdi> on {labelOf(method)} was proven.
      </>
    ),
  "proof.lapsed": ({ platform, handle }) => (
    <>
      The proof of <bdi>{handle}</bdi> on {labelOf(platform)} is gone from where it stood.
    </>
  ),
  "attestation.revoked": ({ recipient }) => (
    <>
      The exchange revoked its attestation of <Party address={recipient} />.
    </>
  ),
};

const whatHappened = ({ type, data }: AgentEvent): ReactNode =>
  (SENTENCES[type as ShownType] as (data: unknown) => ReactNode)(data);
