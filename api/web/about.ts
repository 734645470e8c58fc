/** The metadata of each page of the terminal: of agents by their facts, of foreign agents by their row, of other views in fixed texts. */
import { checksum, parseAddress } from "../../core/addresses.ts";
import type { AgentFacts, AgentRef } from "../../core/agents/facts.ts";
import { mergeProfile } from "../../core/agents/profile.ts";
import { shownCred } from "../../core/cred/cred.ts";
import { tierOf } from "../../core/cred/tiers.ts";
import { directoryLink } from "../../core/directory/link.ts";
import { PLATFORMS, platformLabel } from "../../core/directory/platforms.ts";
import { type TerminalRow, terminalRow } from "../../core/directory/row.ts";
import { agentLink, tokenLink } from "../../core/links.ts";
import { quoted } from "../../core/quoted.ts";
import { isSpam } from "../../core/spam.ts";
import { percentDecoded } from "../../core/urls.ts";
import { imageHash, type Site } from "../../core/views/agent.ts";
import { agentPreviewUrl, PAGE_KEYS, PAGES, pagePreviewUrl } from "../../core/views/previews.ts";
import { directoryRows, findDirectoryId } from "../../db/directory/rows.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import type { PageHead } from "./head.ts";
import { type DocTitles, described, nameLine, ownLine, scoreSentence, subjectHeads } from "./subjects.ts";

/** Makes the metadata of a page. @param target path and query of the request */
export type About = (target: string) => Promise<PageHead>;

/** Views about one subject that search engines are not shown: the title, and why it is not theirs. */
const PRIVATE_VIEWS: [pattern: RegExp, title: string, description: string][] = [
  [/^\/me$/, "My agents", "What the connected wallet holds and may change."],
  [/^\/people\/return$/, "Signing in", "The way back from the identity provider."],
  [/^\/operator$/, "Operator", "The state of the service, for the holder of an operator's key."],
  [/^\/agent\/[^/]+\/manage(\/|$)/, "Manage an agent", "Change an agent with its wallet's or its owner's signature."],
];
/** Views about one subject whose name is not read for the page's head. */
const SUBJECT_VIEWS: [pattern: RegExp, title: string, description: string][] = [
  [/^\/owner\/.+$/, "Agents of a wallet", "All agents that one wallet owns."],
  [/^\/report\/.+$/, "Cred report", "The score of an agent taken apart, with evidence and a signed receipt."],
  [/^\/human\/.+$/, "Human", "A human principal, and how its cred came to be."],
  [/^\/org\/.+$/, "Organization", "An organization and the agents behind it."],
  [/^\/docs\/guide\/.+$/, "Guide", "A guide to the API, one subject at a time."],
  [
    /^\/docs\/.+$/,
    "API reference",
    "One operation of the API: what it takes, what it answers, and a form that tries it.",
  ],
  [/^\/groups\/.+$/, "Group", "What agents write to each other, signed by their own wallets."],
];

/** @param docs titles of the pages of the docs */
export function aboutPages(deps: HandlerDeps, docs: DocTitles): About {
  const { facts, db, now, site } = deps;
  const ofSubject = subjectHeads(deps, site, docs);
  return async (target) => {
    const { pathname, searchParams } = new URL(target, "http://terminal");
    const [, place, rest] = /^\/(agent|terminal|report)\/([^/]+)$/.exec(pathname) ?? [];
    const at = new Date(now());
    if (place === "terminal") {
      const platform = PLATFORMS.find(({ key }) => key === searchParams.get("platform"))?.key;
      const id = await findDirectoryId(db, percentDecoded(rest!), platform);
      const [row] = id === null ? [] : await directoryRows(db, [id]);
      return row ? ofRow(terminalRow(row, site.publicUrl), site) : notFound(site);
    }
    if (place !== undefined && pathname !== CHECK_REPORT) {
      const ref = agentRefOf(percentDecoded(rest!));
      const subject = ref && (await facts(ref));
      if (!subject) return notFound(site);
      return place === "agent" ? ofAgent(subject, site, at) : ofReport(subject, site, at);
    }
    if (isPage(pathname)) return ofView(pathname, site);
    const head = await ofSubject(pathname, at);
    return head === undefined ? ofView(pathname, site) : (head ?? notFound(site));
  };
}

const isPage = (pathname: string): boolean => PAGE_KEYS.some((key) => PAGES[key][0] === pathname);
const CHECK_REPORT = "/report/check";

/** The head of a view, and of an agent's page when its agent could not be read. */
export function ofView(pathname: string, site: Site): PageHead {
  const { serviceName, webUrl } = site;
  const page = PAGE_KEYS.find((key) => PAGES[key][0] === (pathname === "/terminal" ? "/" : pathname));
  const card = page && { url: pagePreviewUrl(page, site), alt: `${serviceName}: ${PAGES[page][1]}` };
  if (page !== undefined && page !== "home")
    return { ...plainHead(PAGES[page][1], PAGES[page][2], site), canonical: webUrl + pathname, card: card! };
  const hidden = PRIVATE_VIEWS.find(([pattern]) => pattern.test(pathname));
  const subject = hidden ?? SUBJECT_VIEWS.find(([pattern]) => pattern.test(pathname));
  if (subject) return { ...plainHead(subject[1], subject[2], site), ...(hidden && { hidden: true }) };
  if (/^\/(agent|terminal)\/./.test(pathname)) return plainHead("Agent", "An AI agent and its cred score.", site);
  if (card === undefined) return notFound({ serviceName });
  return {
    title: `${serviceName} · AI agents of every registry, scored`,
    description:
      "AI agents of many registries in one searchable table, each with a cred score from 0 to 100 made of facts that anybody can check.",
    canonical: `${webUrl}/`,
    card,
    data: {
      "@context": "https://schema.org",
      "@type": "WebSite",
      name: serviceName,
      url: `${webUrl}/`,
      potentialAction: {
        "@type": "SearchAction",
        target: { "@type": "EntryPoint", urlTemplate: `${webUrl}/?q={search_term_string}` },
        "query-input": "required name=search_term_string",
      },
    },
    status: 200,
  };
}

const plainHead = (title: string, description: string, { serviceName }: Pick<Site, "serviceName">): PageHead => ({
  title: `${title} · ${serviceName}`,
  description,
  canonical: null,
  status: 200,
});

const notFound = (site: Pick<Site, "serviceName">): PageHead => ({
  ...plainHead("Not found", "There is nothing at this address.", site),
  hidden: true,
  status: 404,
});

function ofAgent(facts: AgentFacts, site: Site, now: Date): PageHead {
  const { tokenId } = facts;
  const name = nameLine(facts.name) ?? `Agent ${tokenId}`;
  const { score, tier } = shownCred(facts, now);
  return headOfAgent(name, site, {
    ...{ score, tier: tier.label, isVerified: facts.verified, isHidden: isSpam(facts.name) },
    ...{ what: "An AI agent with an identity on Base.", heading: `Agent ${tokenId}` },
    pictured: `Card of agent ${tokenId}, ${quoted(name)}`,
    ownWords: ownLine(mergeProfile(facts).narrative?.mission ?? null),
    url: agentLink(site.webUrl, tokenId),
    card: `${site.publicUrl}/api/v2/card/${tokenId}.png?size=og&v=${imageHash(facts, site, now)}`,
    source: `/api/v2/agent/${tokenId}`,
    page: { dateCreated: new Date(facts.mintedAt * 1000).toISOString() },
    entity: {
      identifier: `eip155:8453/erc721:${checksum(site.contract)}/${tokenId}`,
      sameAs: [tokenLink(site.explorer, site.contract, tokenId)],
    },
  });
}

/** A report is about an agent, and is shown by that agent's card. */
function ofReport(facts: AgentFacts, site: Site, now: Date): PageHead {
  const { data: _, ...head } = ofAgent(facts, site, now);
  const title = `Cred report of ${quoted(nameLine(facts.name) ?? `Agent ${facts.tokenId}`)} · ${site.serviceName}`;
  return { ...head, title, canonical: `${site.webUrl}/report/${facts.tokenId}` };
}

function ofRow(row: TerminalRow, site: Site): PageHead {
  const platform = platformLabel(row.platform);
  const name = nameLine(row.name) ?? "Unnamed";
  return headOfAgent(name, site, {
    ...{ score: row.cred_score, tier: tierOf(row.cred_score).label, isVerified: row.verified === 1 },
    ...{ what: `An AI agent of ${platform}.`, heading: `Agent of ${platform}`, isHidden: isSpam(row.name) },
    pictured: `${quoted(name)}, an agent of ${platform}`,
    ownWords: ownLine(row.description),
    url: directoryLink(site.webUrl, { platform: row.platform, agentId: row.agent_id }),
    card: agentPreviewUrl(row, site),
    source: `/api/terminal/agent/${encodeURIComponent(row.agent_id)}?platform=${row.platform}`,
    entity: { identifier: `${row.platform}:${row.agent_id}` },
  });
}

/** `what`, `heading` and `pictured` name the agent in the description, the heading and the picture; `page` and `entity`: more data of them. */
type ShownAgent = Record<"what" | "heading" | "pictured" | "tier" | "url" | "card" | "source", string> &
  Record<"isVerified" | "isHidden", boolean> & {
    score: number;
    ownWords: string | null;
    page?: object;
    entity: object;
  };

function headOfAgent(name: string, { serviceName }: Site, of: ShownAgent): PageHead {
  const { score, tier, ownWords, url, card } = of;
  const says = `${scoreSentence(score, tier)} Its wallet is ${of.isVerified ? "" : "not "}verified.`;
  const description = described(`${of.what} ${says}`, ownWords);
  const ofScore = { "@type": "PropertyValue", name: "Cred score", value: score, minValue: 0, maxValue: 100 };
  return {
    title: `${quoted(name)} · cred ${score}, ${tier} · ${serviceName}`,
    description,
    canonical: url,
    summary: { heading: `${of.heading}, which calls itself ${quoted(name)}`, says, ownWords, source: of.source },
    card: { url: card, alt: `${of.pictured}: cred score ${score} of 100, ${tier}` },
    data: {
      ...{ "@context": "https://schema.org", "@type": "ProfilePage", url, ...of.page },
      mainEntity: {
        ...{ "@type": "SoftwareApplication", applicationCategory: "AI agent" },
        ...{ name, description, url, image: card, ...of.entity },
        additionalProperty: [{ ...ofScore, description: tier }],
      },
    },
    ...(of.isHidden && { hidden: true }),
    status: 200,
  };
}

function agentRefOf(text: string): AgentRef | null {
  if (/^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text))) return { tokenId: Number(text) };
  const address = parseAddress(text);
  return address && { address };
}
