/** What an agent says about itself: narrative, personality and where else it is, services, skills, domains, metadata. */
import type { ReactNode } from "react";
import { placeOf } from "../../../core/agents/listing.ts";
import { NARRATIVE_FIELDS, PERSONALITY_LEVELS, PERSONALITY_TEXTS } from "../../../core/agents/profile.ts";
import type { Agent } from "../api/types.ts";
import { count, labelOf } from "../formats.ts";
import { OutLink, webAddress } from "../parts/out-link.tsx";
import { Fact, type FactEntry, Facts } from "../parts/panel.tsx";
import { AgentPanel } from "./agent-panel.tsx";

/** Names of common services, by their lower-case form. */
const SERVICES: Record<string, string> = {
  mcp: "MCP",
  a2a: "A2A",
  oasf: "OASF",
  ens: "ENS",
  did: "DID",
  x402: "x402",
  web: "Web",
  email: "E-mail",
  telegram: "Telegram",
};
/** Fields of metadata that are shown. */
const MAX_FIELDS = 24;

/** Renders nothing for an agent without a listing. */
export function Listing({ agent }: { agent: Agent }) {
  const { skills, domains, metadata } = agent;
  const services = Object.entries(agent.services).flatMap(([name, service]) => {
    const endpoint = placeOf(service);
    const version = typeof service.version === "string" ? service.version : null;
    return endpoint === null ? [] : [{ name: SERVICES[name.toLowerCase()] ?? name, endpoint, version }];
  });
  const { acceptedPayments = [], ...rest } = metadata;
  const fields = Object.entries(rest).slice(0, MAX_FIELDS);
  const others = skills.length + domains.length + acceptedPayments.length + fields.length;
  if (services.length + others === 0) return null;
  return (
    <AgentPanel id="listing" title="What it says of itself" brief="services, skills, domains, as it states them">
      <div className="stack">
        {services.length > 0 && <Services of={services} />}
        {others > 0 && (
          <dl className="words">
            <Words label="Skills" words={skills} />
            <Words label="Domains" words={domains} />
            <Words label="Accepts" words={acceptedPayments} />
            {fields.map(([name, value]) => (
              <Item key={name} label={labelOf(name)}>
                <Value of={value} />
              </Item>
            ))}
          </dl>
        )}
        <p className="faint small">As the agent states it. Nothing of it counts towards the score.</p>
      </div>
    </AgentPanel>
  );
}

const Item = ({ label, children }: { label: string; children: ReactNode }) => (
  <Fact label={<bdi>{label}</bdi>}>{children}</Fact>
);

const Words = ({ label, words }: { label: string; words: readonly string[] }) =>
  words.length === 0 ? null : (
    <Item label={label}>
      <Tags of={words} />
    </Item>
  );

const Tags = ({ of }: { of: readonly string[] }) => (
  <span className="tags">
    {of.map((word, i) => (
      <span key={`${i} ${word}`} className="tag plain">
        <bdi>{word}</bdi>
      </span>
    ))}
  </span>
);

function Value({ of }: { of: unknown }) {
  if (typeof of === "string") return webAddress(of) ? <OutLink text={of} /> : <bdi>{of}</bdi>;
  if (typeof of === "boolean") return of ? "Yes" : "No";
  if (of === null || typeof of === "number") return String(of ?? "—");
  if (Array.isArray(of) && of.every((item) => typeof item !== "object")) return <Tags of={of.map(String)} />;
  return (
    <code className="wrap">
      <bdi>{JSON.stringify(of)}</bdi>
    </code>
  );
}

type ServiceItem = { name: string; endpoint: string; version: string | null };

/** Registration files name the agent's wallet among their services: it is shown as its wallet. */
const isPlace = ({ name }: ServiceItem) => name.toLowerCase() !== "agentwallet";

/** Services of an agent: name and address. The agent wrote the address, so it is an untrusted link. */
export const Services = ({ of }: { of: readonly ServiceItem[] }) => (
  <ul className="services">
    {of.filter(isPlace).map(({ name, endpoint, version }) => (
      <li key={`${name} ${endpoint}`}>
        <span className="tag">
          <bdi>{name}</bdi>
        </span>
        <span>
          <OutLink text={endpoint} /> {version && <span className="faint">version {version}</span>}
        </span>
      </li>
    ))}
  </ul>
);

/** Narrative, personality, and where else the agent can be found. */
export function SelfDescription({ agent: { narrative, personality, socials } }: { agent: Agent }) {
  const said = (label: string, text: string | null | undefined): FactEntry[] =>
    text?.trim() ? [[label, <bdi>{text}</bdi>]] : [];
  const facts: FactEntry[] = [
    ...NARRATIVE_FIELDS.flatMap((name) => said(labelOf(name), narrative?.[name])),
    ...PERSONALITY_TEXTS.flatMap((name) => said(labelOf(name), personality?.[name])),
    ...PERSONALITY_LEVELS.flatMap((name): FactEntry[] => {
      const level = personality?.[name];
      return level == null ? [] : [[labelOf(name), <Level of={level} />, { className: "level" }]];
    }),
    // `x` repeats what is stated under `twitter`, or what is proven, which is among the verifications.
    ...Object.entries(socials).flatMap(([place, text]): FactEntry[] =>
      place === "x" || !text ? [] : [[`${labelOf(place)}, as it says`, <Value of={text} />]],
    ),
  ];
  if (facts.length === 0) return <p className="muted">It has not stated anything about itself.</p>;
  return <Facts className="words" of={facts} />;
}

const Level = ({ of }: { of: number }) => (
  <>
    <span className="level-bar" aria-hidden="true">
      {Array.from({ length: 10 }, (_, i) => (
        <i key={i} data-on={i < of || undefined} />
      ))}
    </span>
    {count(of)} of 10
  </>
);
