/** What an agent offers and how it is called, whether its endpoints answer, what it is trusted by, and who resembles it. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { directoryLink } from "../../../core/directory/link.ts";
import { callsOf } from "../../../core/offers/calls.ts";
import type { Offering } from "../api/types.ts";
import { platformLabel } from "../directory/facets.ts";
import { offering as offeringQuery } from "../directory/source.ts";
import { age, count, counted, date, decimals, moment } from "../formats.ts";
import { Copy } from "../parts/copy.tsx";
import { Named } from "../parts/cred.tsx";
import { headingOf, Offers } from "../parts/offers.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { Facts } from "../parts/panel.tsx";
import { Party } from "../parts/party.tsx";
import { Loading, NotYet } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { AgentPanel } from "./agent-panel.tsx";

type Of = { agentRef: string; platform: string };
const useOffering = ({ agentRef, platform }: Of) => useQuery(offeringQuery(agentRef, platform));

/** @param children what the agent lists in addition to its offers */
export function WhatItOffers({ name, children, ...of }: Of & { name: string; children?: ReactNode }) {
  const { data: answer, error, refetch } = useOffering(of);
  const data = answer?.data;
  return (
    <AgentPanel id="offers" title="What it offers" open>
      <div className="stack offering">
        {children}
        {data ? <Found of={data} name={name} /> : <NotYet error={error} refetch={refetch} rows={2} />}
      </div>
    </AgentPanel>
  );
}

function Found({ of, name }: { of: Offering; name: string }) {
  const { offers, offerCount, endpoints, liveness } = of;
  if (offers.length === 0 && endpoints.length === 0)
    return <p className="muted">It names no endpoint, skill, tool or paid resource.</p>;
  return (
    <>
      {liveness && (
        <p className="alive">
          <span className="dot" data-state={liveness.value >= 0.5 && !liveness.named ? "live" : ""} />
          {liveness.says}
        </p>
      )}
      <Offers of={offers} all={offerCount} below={(offer) => <TryIt offer={offer} name={name} />} />
      {endpoints.length > 0 && (
        <details className="more">
          <summary>{counted(endpoints.length, "endpoint, and when it", "endpoints, and when each")} answered</summary>
          <ul className="stack">
            {endpoints.map((endpoint) => (
              <li key={`${endpoint.kind} ${endpoint.url}`} className="small">
                <OutLink text={endpoint.url} />
                <br />
                <State of={endpoint} />
              </li>
            ))}
          </ul>
          {endpoints.some(({ named }) => named) && (
            <p className="faint small">
              Its owner has it count: the host serves <code>/.well-known/agent-registration.json</code> with the agent
              in registrations, or its proven wallet as agentWallet in services.
            </p>
          )}
        </details>
      )}
    </>
  );
}

/** What shows that an endpoint is the agent's. */
const CONFIRMED = {
  host_file: "Its host names this agent.",
  registration_file: "The agent's registration file is in the same place and names the agent.",
  payee: "Who calls it pays the agent's proven wallet.",
  namespace: "The registry gave the agent this domain.",
};

function State({
  of: { status, answeredAt, silentSince, checkedAt, why, confirmedBy, isSigned, uptime },
}: {
  of: Offering["endpoints"][number];
}) {
  const at = (time: string | null, words: ReactNode) => <span title={time ? moment(time) : undefined}>{words}</span>;
  return (
    <span className="muted">
      {checkedAt === null || status === "waiting"
        ? why === null && "Not asked yet."
        : silentSince === null
          ? at(answeredAt, `Answered ${age(answeredAt ?? checkedAt)} ago.`)
          : at(silentSince, `Silent for ${age(silentSince)}.`)}
      {uptime && ` ${recordOf(uptime)}`}
      {why && ` ${why}`} {confirmedBy ? CONFIRMED[confirmedBy] : "Only the agent names it."}
      {isSigned && " What it says is signed by a key of this host."}
    </span>
  );
}

/** What the log of probes says of it: "Answered 99.2 % of 30 days, 120 ms." */
function recordOf({ days30, p50Ms }: NonNullable<Offering["endpoints"][number]["uptime"]>): string {
  if (days30 === null) return "";
  // A share that is rounded up would hide an outage.
  const share = `Answered ${decimals(Math.floor(1_000 * days30) / 10, 1)} % of 30 days`;
  return p50Ms === null ? `${share}.` : `${share}, ${count(p50Ms)} ms.`;
}

const RECEIVER = {
  agent: "Who calls it pays the agent's own wallet.",
  owner: "Who calls it pays the agent's owner.",
  other: "Who calls it pays a wallet that is neither the agent's nor its owner's.",
};
const FORM = {
  shell: "In a shell",
  settings: "In the settings of an MCP client",
  program: "In a program that pays by x402",
};

function TryIt({ offer, name }: { offer: Offering["offers"][number]; name: string }) {
  const calls = callsOf(offer, name);
  return (
    <>
      {offer.named && (
        <span className="small" data-warns>
          Only the agent says that this is its own: it counts for nothing in the search.
        </span>
      )}
      {offer.receiver && (
        <span className="small" data-warns={offer.receiver === "other" || undefined}>
          {RECEIVER[offer.receiver]}
        </span>
      )}
      {calls.length > 0 && (
        <details className="more">
          <summary>Try it</summary>
          <div className="stack">
            {calls.map(({ form, text }) => (
              <div key={form}>
                <p className="call-head">
                  <span className="faint small">{FORM[form]}</span>
                  <Copy text={text} label={`Copy: ${FORM[form]}`} />
                </p>
                <pre className="code">{text}</pre>
              </div>
            ))}
            {offer.inputSchema !== undefined && offer.inputSchema !== null && (
              <div>
                <p className="faint small">What it takes, as JSON Schema</p>
                <pre className="code">{JSON.stringify(offer.inputSchema, null, 2)}</pre>
              </div>
            )}
          </div>
        </details>
      )}
    </>
  );
}

/** The owner and since when, and the human and the organization that sign in by the owner's wallet. */
export function Behind({ of }: { of: Of }) {
  const { data: answer, error } = useOffering(of);
  const behind = answer?.data.behind;
  if (error && !behind) return null;
  return (
    <AgentPanel id="behind" title="Who stands behind it">
      {!behind ? (
        <Loading rows={3} />
      ) : behind.owner === null ? (
        <p className="muted">Its registry names no owner.</p>
      ) : (
        <Facts
          of={[
            ["Owner", <Party address={behind.owner} />],
            behind.ownerSince && ["Since", <span title={moment(behind.ownerSince)}>{date(behind.ownerSince)}</span>],
            [
              "Human",
              behind.human ? (
                <Named href={`/human/${behind.human.id}`} name={behind.human.name} />
              ) : (
                <span className="faint">nobody has registered</span>
              ),
            ],
            behind.organization && [
              "Organization",
              <Named href={`/org/${behind.organization.slug}`} name={behind.organization.name} />,
            ],
            ["The owner's agents", <Link href={`/owner/${behind.owner}`}>All its agents</Link>],
          ]}
        />
      )}
    </AgentPanel>
  );
}

/** Trust as discovery ranks by it, and the agents one may take for this one. */
export function Trusted({ of }: { of: Of }) {
  const { data: answer, error } = useOffering(of);
  const data = answer?.data;
  // The panel of offers says what went wrong.
  if (error && !data) return null;
  return (
    <AgentPanel id="trust" title="What it is trusted by">
      {data ? (
        <div className="stack">
          {data.trust === null ? (
            <p className="muted">It is new here: what is known of it is read within a minute.</p>
          ) : (
            <>
              <Working of={data.factors} trust={data.trust} />
              <ul className="why-words">
                {data.factors.map(({ key, says }) => (
                  <li key={key}>
                    <b>{headingOf(key)}</b> {says}
                  </li>
                ))}
              </ul>
            </>
          )}
          <Alike
            of={data.sameName}
            title={(n) => `${counted(n, "other agent has", "other agents have")} its name`}
            none="No other agent has its name."
          />
          <Alike
            of={data.sameEndpoint}
            title={(n) => `${counted(n, "other agent names", "other agents name")} an endpoint of it`}
          />
        </div>
      ) : (
        <Loading rows={8} />
      )}
    </AgentPanel>
  );
}

/** How the figure comes out of its factors: each leaves a share, and trust is the product of the shares. */
const Working = ({ of, trust }: { of: Offering["factors"]; trust: number }) => (
  <>
    <Table
      className="dimensions"
      of={of}
      columns={[
        ["Factor", ({ key }) => headingOf(key)],
        ["Value", ({ value }) => count(Math.round(100 * value))],
        ["Weight", ({ weight }) => `${count(Math.round(100 * weight))} %`],
        ["Leaves", ({ value, weight }) => `${decimals(100 * (1 - weight * (1 - value)), 1)} %`],
      ]}
      foot={
        <>
          <th scope="row" colSpan={3}>
            Trust, of 100
          </th>
          <td>
            <b>{decimals(100 * trust, 1)}</b>
          </td>
        </>
      }
    />
    <p className="faint small">
      A factor leaves 100 % less its weight times what its value lacks of 100; the shares are multiplied. Trust orders
      search results; it is no part of the score.
    </p>
  </>
);

type AlikeProps = {
  of: Offering["sameName"];
  /** @param n number of agents of others */
  title: (n: number) => string;
  none?: string;
};

/** The registrations of its own owner are the same agent; those of others are what one may take for it. */
function Alike({ of: { count: n, agents }, title, none }: AlikeProps) {
  const twins = agents.filter(({ sameOwner }) => sameOwner);
  const others = agents.filter(({ sameOwner }) => !sameOwner);
  const all = n - twins.length;
  return (
    <>
      <AlikeList of={twins} title="Its other registrations, by the same owner" more={0} />
      <AlikeList of={others} title={title(all)} more={all - others.length} />
      {all === 0 && none && <p className="faint small">{none}</p>}
    </>
  );
}

function AlikeList({ of, title, more }: { of: Offering["sameName"]["agents"]; title: string; more: number }) {
  if (of.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul className="stack small">
        {of.map(({ platform, agentId, name, credScore, registeredAt }) => (
          <li key={`${platform} ${agentId}`}>
            <Named href={directoryLink("", { platform, agentId })} name={name || "Unnamed"} />{" "}
            <span className="muted">
              {platformLabel(platform)} · cred {count(credScore)} · registered{" "}
              {registeredAt ? date(registeredAt) : "at an unknown time"}
            </span>
          </li>
        ))}
        {more > 0 && <li className="faint">and {count(more)} more</li>}
      </ul>
    </section>
  );
}
