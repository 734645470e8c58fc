/** Cuts a stream of events into its events while it arrives in pieces of any size. The cost grows only with its length. */

/** Max lines of a stream: what has more has no answer in it, and is only read. */
const MAX_LINES = 16_384;

/** @returns takes a piece of a stream; gives the events that it ended and that have data, each as its lines */
export function eventCutter(): (piece: Buffer) => string[] {
  const decoder = new TextDecoder();
  /** The pieces of a line that has not ended, and the lines of an event that has not. */
  let begun: string[] = [];
  let lines: string[] = [];
  let afterReturn = false;
  let count = 0;
  return (piece) => {
    if (count > MAX_LINES) return [];
    let text = decoder.decode(piece, { stream: true });
    if (afterReturn && text.startsWith("\n")) text = text.slice(1);
    if (text === "") return [];
    afterReturn = text.endsWith("\r");
    const [head, ...rest] = text.split(/\r\n|\n|\r/);
    begun.push(head!);
    count += rest.length;
    const events: string[] = [];
    for (const next of rest) {
      const line = begun.join("");
      begun = [next];
      if (line !== "") lines.push(line);
      else {
        if (lines.some((each) => each.startsWith("data:"))) events.push(lines.join("\n"));
        lines = [];
      }
    }
    return events;
  };
}
