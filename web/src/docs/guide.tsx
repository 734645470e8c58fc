/** The guides: their names at once, and the text of one as elements: headings that can be linked to, tables that scroll, code that can be copied. */
import { useQuery } from "@tanstack/react-query";
import { createElement, Fragment, type ReactNode, useEffect } from "react";
import { Link } from "wouter";
import { Copy } from "../parts/copy.tsx";
import { useTitle } from "../parts/panel.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { Scroll } from "../parts/table.tsx";
import { SITE_NAME } from "../site.ts";

export function GuideView({ guide }: { guide: Guide }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["guide", guide.name],
    queryFn: guide.load,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useTitle(`${guide.title} · ${SITE_NAME}`);
  // The place that the address names is there only now.
  useEffect(() => {
    if (data && location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  }, [data]);
  if (error) return <ProblemNote error={error} retry={() => void refetch()} />;
  return <article className="docs-guide">{data ? <Inside of={data} /> : <Loading rows={8} />}</article>;
}

/** Markdown's own escapes of text that was typed as HTML. */
const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};
const plain = (text: string): string => text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (one) => ENTITIES[one]!);

/** Elements that have nothing but what is inside of them. */
const TAGS: Readonly<Record<string, "p" | "blockquote" | "li" | "b" | "em">> = {
  paragraph: "p",
  blockquote: "blockquote",
  list_item: "li",
  strong: "b",
  em: "em",
};

const Inside = ({ of }: { of: readonly Token[] }): ReactNode =>
  of.map((token, place) => <Shown key={place} of={token} />);

function Shown({ of: token }: { of: Token }): ReactNode {
  const { type, tokens = [], text = "", items = [], href } = token;
  const inside = tokens.length > 0 ? <Inside of={tokens} /> : plain(text);
  switch (type) {
    case "heading":
      return <Heading token={token} />;
    case "list":
      return token.ordered ? (
        <ol start={token.start || 1}>
          <Inside of={items} />
        </ol>
      ) : (
        <ul>
          <Inside of={items} />
        </ul>
      );
    case "code":
      return (
        <div className="docs-code">
          <Copy text={text} label="Copy this code" />
          <pre className="code">{text}</pre>
        </div>
      );
    case "table":
      return <Table token={token} />;
    case "codespan":
      return <code>{text}</code>;
    case "hr":
    case "br":
      return createElement(type);
    case "space":
      return null;
    case "link":
      if (!href) return inside;
      return href.startsWith("/docs/") ? <Link href={href}>{inside}</Link> : <a href={href}>{inside}</a>;
    default:
      return createElement(TAGS[type] ?? Fragment, null, inside);
  }
}

function Heading({ token: { depth = 1, id = "", tokens = [] } }: { token: Token }) {
  const words = <Inside of={tokens} />;
  if (depth === 1) return <h1>{words}</h1>;
  const link = (
    <a href={`#${id}`} className="docs-anchor">
      {words}
    </a>
  );
  return depth === 2 ? <h2 id={id}>{link}</h2> : <h3 id={id}>{link}</h3>;
}

function Table({ token: { header = [], rows = [] } }: { token: Token }) {
  return (
    <Scroll label="Table">
      <table className="docs-table">
        <thead>
          <tr>
            {header.map((cell, place) => (
              <th key={place} scope="col">
                <Inside of={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={place}>
              {row.map((cell, column) => (
                <td key={column}>
                  <Inside of={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** A part of a Markdown text, as the build has read it. */
type Token = {
  type: string;
  text?: string;
  depth?: number;
  /** Of a heading: what links name it by. */
  id?: string;
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

type Guide = { name: string; title: string; load: () => Promise<readonly Token[]> };
/** Names and titles at once, the text of each on demand. */
export const GUIDES: readonly Guide[] = Object.entries(titles)
  .map(([path, title]) => ({ name: nameOf(path), title, load: texts[path]! }))
  .toSorted((a, b) => a.title.localeCompare(b.title));
