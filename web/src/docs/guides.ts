/** The guides: names and titles at once, the text of each on demand. */

/** A part of a Markdown text, as the build has read it. */
export type Token = {
  type: string;
  text?: string;
  depth?: number;
  /** Of a heading: what links name it by. */
  id?: string;
  lang?: string;
  /** Null where the place is not served here. */
  href?: string | null;
  ordered?: boolean;
  start?: number | "";
  tokens?: readonly Token[];
  items?: readonly Token[];
  header?: readonly (readonly Token[])[];
  rows?: readonly (readonly (readonly Token[])[])[];
};

const titles = import.meta.glob<string>(["../../../docs/use/*.md", "../../../sdk/README.md"], {
  query: "?title",
  import: "default",
  eager: true,
});
const texts = import.meta.glob<readonly Token[]>(["../../../docs/use/*.md", "../../../sdk/README.md"], {
  import: "default",
});

/** As `api/guides.ts` names them. */
const nameOf = (path: string): string =>
  path.endsWith("sdk/README.md") ? "sdk" : path.split("/").at(-1)!.replace(/\.md$/, "");

export type Guide = { name: string; title: string; load: () => Promise<readonly Token[]> };
export const GUIDES: readonly Guide[] = Object.entries(titles)
  .map(([path, title]) => ({ name: nameOf(path), title, load: texts[path]! }))
  .toSorted((a, b) => a.title.localeCompare(b.title));
