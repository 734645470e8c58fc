/** A stranger's text with the matched words marked, built from ranges: no markup of the text is ever used. */
import type { ReactNode } from "react";

/** @param ranges start and end of each word in UTF-16 units, in order; what does not fit the text is left out */
export function Marked({ text, ranges }: { text: string; ranges: readonly (readonly number[])[] }) {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const [start = 0, end = 0] of ranges) {
    if (start < at || end <= start || end > text.length) continue;
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>);
    at = end;
  }
  parts.push(text.slice(at));
  return <bdi>{parts}</bdi>;
}
