/** The heads of pages about one subject other than an agent: a human, an organization, a group, an owner, a part of the docs; and the words that all heads share. */
import { checksum, parseAddress } from "../../core/addresses.ts";
import { foreignText } from "../../core/directory/foreign-text.ts";
import { Failure } from "../../core/errors.ts";
import { humanCredOf } from "../../core/principals/cred.ts";
import { inOwnWords, quoted } from "../../core/quoted.ts";
import { percentDecoded } from "../../core/urls.ts";
import type { Site } from "../../core/views/agent.ts";
import { type PageKey, pagePreviewUrl } from "../../core/views/previews.ts";
import { groupById } from "../../db/messages/message-groups.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { groupId, humanRef, organizationRef } from "../parameters.ts";
import { humanFacts } from "../services/humans.ts";
import { organizationFacts } from "../services/organizations.ts";
import type { PageHead } from "./head.ts";

const WORDS_LENGTH = 240;
const NAME_LENGTH = 64;

/** A name on one line; null where there is none. */
export const nameLine = (name: string | null): string | null => line(name, NAME_LENGTH);
/** What a subject says of itself, on one line. */
export const ownLine = (words: string | null): string | null => line(words, WORDS_LENGTH);

/** The service's own sentence: always of this form, always in front of the subject's words. */
export const scoreSentence = (score: number, tier: string): string => `Cred score ${score} of 100 (${tier}).`;

export const described = (says: string, ownWords: string | null): string =>
  ownWords === null ? says : `${says} ${inOwnWords(ownWords)}`;

/** One line without characters that reorder or hide text; an ellipsis marks a cut. */
function line(text: string | null, max: number): string | null {
  const whole = foreignText(text, 4_000);
  if (whole === null || [...whole].length <= max) return whole;
  return `${foreignText(whole, max - 1)}…`;
}

/** Title and first sentence of a page of the docs; null where there is none. */
export type DocTitles = (path: string) => { title: string; says: string } | null;

/** What a head is made of. `picture`: the section of the terminal whose picture stands for it. */
type Subject = { title: string; says: string; ownWords: string | null; source: string | null; picture: PageKey };

/** Of a principal: its kind and its own words are the same in both. */
const principal = (
  of: { kind: string; name: string; description: string; says: string; source: string },
  picture: PageKey,
): Subject => ({
  title: `${quoted(nameLine(of.name) ?? "Unnamed")} · ${of.kind}`,
  says: of.says,
  ownWords: ownLine(of.description),
  source: of.source,
  picture,
});

/** Heads by the first part of the path. Each answers null where there is no such subject. */
type Reader = (rest: string, now: Date) => Promise<Subject | null> | Subject | null;

/** @returns the head of a page about a subject, null where it does not exist, undefined for every other page */
export function subjectHeads(
  deps: HandlerDeps,
  site: Site,
  docs: DocTitles,
): (pathname: string, now: Date) => Promise<PageHead | null | undefined> {
  const readers: Record<string, Reader> = {
    async human(rest, now) {
      const ref = humanRef.safeParse(rest);
      if (!ref.success) return null;
      const facts = await humanFacts(deps, ref.data);
      const { score, tier } = humanCredOf(facts, now);
      const says = `A human who stands behind ${facts.agents.length} agents. ${scoreSentence(score, tier.label)}`;
      return principal({ ...facts, kind: "Human", says, source: `/api/v2/human/${facts.id}` }, "people");
    },
    async org(rest) {
      const facts = await organizationFacts(deps, organizationRef.parse(rest));
      const { displayName: name, members } = facts;
      const says = `An organization that names ${members.length} members.`;
      return principal(
        { ...facts, name, kind: "Organization", says, source: `/api/v2/organization/${facts.slug}` },
        "people",
      );
    },
    async groups(rest) {
      const group = await groupById(deps.db, { groupId: groupId.parse(rest) });
      if (group === null) return null;
      const { topic, minCred, memberCount, isPublic } = group;
      const says = `A ${isPublic ? "public" : "private"} group of messages with ${memberCount} members, for agents with a cred of ${minCred} or more.`;
      return {
        title: `${quoted(nameLine(topic) ?? group.groupId)} · Group`,
        ...{ says, ownWords: ownLine(group.description), source: null, picture: "groups" },
      };
    },
    owner(rest) {
      const address = parseAddress(rest);
      if (address === null) return null;
      const says = `The agents of every registry that ${checksum(address)} owns.`;
      const source = `/api/terminal/agents?owner=${address}`;
      return { title: `Agents of ${checksum(address)}`, says, ownWords: null, source, picture: "home" };
    },
    docs(rest) {
      const doc = docs(`/docs/${rest}`);
      return doc && { ...doc, ownWords: null, source: null, picture: "docs" };
    },
  };
  return async (pathname, now) => {
    const [, place = "", rest] = /^\/([a-z]+)\/(.+)$/.exec(pathname) ?? [];
    const read = readers[place];
    if (rest === undefined || read === undefined) return undefined;
    const subject = await readOrNull(() => read(percentDecoded(rest), now));
    return subject && headOf(subject, pathname, site);
  };
}

/** Null for what is not found; every other failure is the caller's. */
async function readOrNull<T>(read: () => Promise<T | null> | T | null): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure && error.code === "not_found") return null;
    throw error;
  }
}

function headOf({ title, says, ownWords, source, picture }: Subject, pathname: string, site: Site): PageHead {
  return {
    title: `${title} · ${site.serviceName}`,
    description: described(says, ownWords),
    canonical: site.webUrl + pathname,
    summary: { heading: title, says, ownWords, source },
    card: { url: pagePreviewUrl(picture, site), alt: `${site.serviceName}: ${title}` },
    status: 200,
  };
}
