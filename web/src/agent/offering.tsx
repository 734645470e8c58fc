/** What an agent offers and how it is called, whether its endpoints answer, what it is trusted by, and who resembles it. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { directoryLink } from "../../../core/directory/link.ts";
import { callsOf } from "../../../core/offers/calls.ts";
import type { Offering } from "../api/types.ts";
import { platformLabel } from "../directory/facets.ts";
import { offering as offeringQuery } from "../directory/source.ts";
import { age, count, date, moment } from "../formats.ts";
import { Address } from "../parts/address.tsx";
import { Copy } from "../parts/copy.tsx";
import { Bar, Factors, headingOf } from "../parts/factors.tsx";
import { Offers } from "../parts/offers.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { Panel } from "../parts/panel.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";

type Of = { agentRef: string; platform: string };
const useOffering = ({ agentRef, platform }: Of) => useQuery(offeringQuery(agentRef, platform));

/** @param children what the agent lists in addition to its offers */
export function WhatItOffers({ name, children, ...of }: Of & { name: string; children?: ReactNode }) {
  const { data: answer, error, refetch } = useOffering(of);
  const found = answer?.data;
  return (
    <Panel title={say("agent.whatItOffers")}>
      <div className="stack offering">
        {children}
        {error && !found && <ProblemNote error={error} retry={() => void refetch()} />}
        {!found && !error && <Loading rows={2} />}
        {found && <Found of={found} name={name} />}
      </div>
    </Panel>
  );
}

function Found({ of, name }: { of: Offering; name: string }) {
  const { offers, offerCount, endpoints, liveness } = of;
  if (offers.length === 0 && endpoints.length === 0)
    return <p className="muted">{say("agent.offersNothingThatCanBe")}</p>;
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
          <summary>{say("agent.endpoints", { n: endpoints.length })}</summary>
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
              <Say k="agent.howToConfirm" file={(path) => <code>{path}</code>} />
            </p>
          )}
        </details>
      )}
    </>
  );
}

/** What shows that an endpoint is the agent's. */
const CONFIRMED = {
  host_file: say("agent.confirmed.host_file"),
  registration_file: say("agent.confirmed.registration_file"),
  payee: say("agent.confirmed.payee"),
  namespace: say("agent.confirmed.namespace"),
};

function State({
  of: { status, answeredAt, silentSince, checkedAt, why, confirmedBy, isSigned },
}: {
  of: Offering["endpoints"][number];
}) {
  const at = (time: string | null, words: ReactNode) => <span title={time ? moment(time) : undefined}>{words}</span>;
  return (
    <span className="muted">
      {checkedAt === null || status === "waiting"
        ? why === null && say("agent.notAskedYet")
        : silentSince === null
          ? at(answeredAt, say("agent.answeredAgo", { age: age(answeredAt ?? checkedAt) }))
          : at(silentSince, say("agent.silentFor", { age: age(silentSince) }))}
      {why && ` ${why}`} {confirmedBy ? CONFIRMED[confirmedBy] : say("agent.confirmed.none")}
      {isSigned && ` ${say("agent.signedByItsHost")}`}
    </span>
  );
}

const RECEIVER = {
  agent: say("agent.paysTheAgent"),
  owner: say("agent.paysItsOwner"),
  other: say("agent.paysAnother"),
};
const FORM = { shell: say("agent.inAShell"), settings: say("agent.inAClient"), program: say("agent.inAProgram") };

function TryIt({ offer, name }: { offer: Offering["offers"][number]; name: string }) {
  const calls = callsOf(offer, name);
  return (
    <>
      {offer.named && (
        <span className="small" data-warns>
          {say("agent.onlyNamed")}
        </span>
      )}
      {offer.receiver && (
        <span className="small" data-warns={offer.receiver === "other" || undefined}>
          {RECEIVER[offer.receiver]}
        </span>
      )}
      {calls.length > 0 && (
        <details className="more">
          <summary>{say("agent.tryIt")}</summary>
          <div className="stack">
            {calls.map(({ form, text }) => (
              <div key={form}>
                <p className="call-head">
                  <span className="faint small">{FORM[form]}</span>
                  <Copy text={text} label={say("agent.copyCall", { form: FORM[form] })} />
                </p>
                <pre className="code">{text}</pre>
              </div>
            ))}
            {offer.inputSchema !== undefined && offer.inputSchema !== null && (
              <div>
                <p className="faint small">{say("agent.itsInput")}</p>
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
export function Behind({ of, explorer }: { of: Of; explorer: string | undefined }) {
  const { data: answer, error } = useOffering(of);
  const behind = answer?.data.behind;
  if (error && !behind) return null;
  return (
    <Panel title={say("agent.whoStandsBehindIt")}>
      {!behind ? (
        <Loading rows={3} />
      ) : behind.owner === null ? (
        <p className="muted">{say("agent.noOwnerIsNamed")}</p>
      ) : (
        <dl className="facts tall">
          <Fact title={say("agent.owner")}>
            <Address address={behind.owner} explorer={explorer} />
          </Fact>
          {behind.ownerSince && (
            <Fact title={say("agent.since")}>
              <span title={moment(behind.ownerSince)}>{date(behind.ownerSince)}</span>
            </Fact>
          )}
          <Fact title={say("agent.human")}>
            {behind.human ? (
              <Link href={`/human/${behind.human.id}`}>
                <bdi>{behind.human.name}</bdi>
              </Link>
            ) : (
              <span className="faint">{say("agent.nobodyIsRegistered")}</span>
            )}
          </Fact>
          {behind.organization && (
            <Fact title={say("agent.organization")}>
              <Link href={`/org/${behind.organization.slug}`}>
                <bdi>{behind.organization.name}</bdi>
              </Link>
            </Fact>
          )}
          <Fact title={say("agent.otherAgents")}>
            <Link href={`/owner/${behind.owner}`}>{say("owner.all")}</Link>
          </Fact>
        </dl>
      )}
    </Panel>
  );
}

const Fact = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

/** Trust as discovery ranks by it, and the agents one may take for this one. */
export function Trusted({ of }: { of: Of }) {
  const { data: answer, error } = useOffering(of);
  const found = answer?.data;
  // The panel of offers says what went wrong.
  if (error && !found) return null;
  return (
    <Panel title={say("agent.whatItIsTrustedBy")}>
      {found ? (
        <div className="stack">
          {found.trust === null ? (
            <p className="muted">{say("agent.trustIsReadSoon")}</p>
          ) : (
            <>
              <div className="why-bars">
                <Bar label={say("discover.trust")} value={found.trust} strong />
                {found.factors.map(({ key, value, says }) => (
                  <Bar key={key} label={headingOf(key)} value={value} says={says} />
                ))}
              </div>
              <details className="more" open>
                <summary>{say("agent.inSentences")}</summary>
                <ul className="why-words">
                  <Factors of={found.factors} />
                </ul>
              </details>
            </>
          )}
          <Alike
            of={found.sameName}
            title={say("agent.othersOfItsName", { n: found.sameName.count })}
            none={say("agent.nobodyHasItsName")}
          />
          <Alike of={found.sameEndpoint} title={say("agent.othersOfItsEndpoints", { n: found.sameEndpoint.count })} />
        </div>
      ) : (
        <Loading rows={8} />
      )}
    </Panel>
  );
}

type AlikeProps = {
  of: Offering["sameName"];
  title: string;
  none?: string;
};

function Alike({ of: { count: n, agents }, title, none }: AlikeProps) {
  if (n === 0) return none ? <p className="faint small">{none}</p> : null;
  return (
    <section>
      <h3>{title}</h3>
      <ul className="stack small">
        {agents.map(({ platform, agentId, name, credScore, registeredAt, sameOwner }) => (
          <li key={`${platform} ${agentId}`}>
            <Link href={directoryLink("", { platform, agentId })}>
              <bdi>{name || say("agent.unnamed")}</bdi>
            </Link>{" "}
            <span className="muted">
              <Say
                k={sameOwner ? "agent.alikeOfTheSameOwner" : "agent.alike"}
                platform={platformLabel(platform)}
                credScore={credScore}
                registered={registeredAt ? date(registeredAt) : say("agent.unknownDate")}
              />
            </span>
          </li>
        ))}
        {n > agents.length && <li className="faint">{say("agent.andOthers", { n: count(n - agents.length) })}</li>}
      </ul>
    </section>
  );
}
