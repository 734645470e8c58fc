/** The head of a page as search engines and chats read it: title, description, address, card and data, every text of it as text. */
import { OWN_WORDS } from "../../core/quoted.ts";

/** The metadata of a page. Texts are plain; `headTags` escapes them for HTML. */
export type PageHead = {
  title: string;
  description: string;
  /** The page's one address; null where there is nothing. */
  canonical: string | null;
  /** schema.org, as an object to be written as JSON. */
  data?: object;
  /** A picture of 1200×630. */
  card?: { url: string; alt: string };
  /** What the page is about, for those who run no scripts; by default its title and its description. */
  summary?: Summary;
  /** Search engines are to leave it out. */
  hidden?: true;
  status: 200 | 404;
};

type Summary = {
  heading: string;
  /** The service's own sentences. */
  says: string;
  /** What the subject says of itself. */
  ownWords: string | null;
  /** Path of the same as JSON. */
  source: string | null;
};

export const summaryOf = ({ title, description, summary }: PageHead): Summary =>
  summary ?? { heading: title, says: description, ownWords: null, source: null };

/** The places in index.html; between the marks of the head are the default tags. */
const HEAD = /<!--head-->[\s\S]*?<!--\/head-->/;
const SUMMARY = "<!--summary-->";

/** The page with its head and its summary filled in. @param siteName of the service @param scripts that the page loads at once */
export const withHead = (page: string, head: PageHead, siteName: string, scripts: readonly string[]): string =>
  page
    .replace(HEAD, () => [headTags(head, siteName), ...scripts.map(loadedAhead)].join("\n    "))
    .replace(SUMMARY, () => summaryInHtml(head));

const loadedAhead = (path: string): string => `<link rel="modulepreload" crossorigin href="${path}">`;

function summaryInHtml(head: PageHead): string {
  const { heading, says, ownWords, source } = summaryOf(head);
  const quote =
    ownWords === null ? "" : `<p>${escaped(OWN_WORDS)}:</p><blockquote><p>${escaped(ownWords)}</p></blockquote>`;
  const link = source === null ? "" : `<p><a href="${escaped(source)}">JSON</a></p>`;
  return `<h1>${escaped(heading)}</h1><p>${escaped(says)}</p>${quote}${link}`;
}

function headTags({ title, description, canonical, data, card, summary, hidden }: PageHead, siteName: string): string {
  const meta = (name: string, content: string) =>
    `<meta ${name.startsWith("og:") ? "property" : "name"}="${name}" content="${escaped(content)}">`;
  return [
    `<title>${escaped(title)}</title>`,
    meta("description", description),
    ...(canonical === null ? [] : [`<link rel="canonical" href="${escaped(canonical)}">`, meta("og:url", canonical)]),
    meta("og:type", summary ? "profile" : "website"),
    meta("og:site_name", siteName),
    meta("og:title", title),
    meta("og:description", description),
    ...(card
      ? [
          meta("og:image", card.url),
          meta("og:image:type", "image/png"),
          meta("og:image:width", "1200"),
          meta("og:image:height", "630"),
          meta("og:image:alt", card.alt),
        ]
      : []),
    meta("twitter:card", card ? "summary_large_image" : "summary"),
    ...(hidden ? [meta("robots", "noindex")] : []),
    ...(data === undefined ? [] : [`<script type="application/ld+json">${jsonInHtml(data)}</script>`]),
  ].join("\n    ");
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter]!);

/** JSON without characters that could end its element or begin another. A data block is never run, so no policy applies to it. */
const jsonInHtml = (data: object): string =>
  JSON.stringify(data).replaceAll(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
