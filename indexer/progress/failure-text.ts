/** A failure in one sentence for operators: the node's own words, without paths, queries and keys of URLs. */

/** Max characters of the words. */
const MAX_LENGTH = 240;

/** A line of Ponder's log about a failure. */
export type LoggedFailure = {
  msg: string;
  method?: unknown;
  hostname?: unknown;
  error?: { message?: string } | undefined;
};

/**
 * @param redact replaces the secrets of the configuration
 * @returns "host method: words"; Ponder's own message where there is no request, or no words of a node
 */
export function failureText({ msg, method, hostname, error }: LoggedFailure, redact: (text: string) => string): string {
  const words = error?.message === undefined ? undefined : wordsOf(error.message);
  const request = [hostname, method].filter((part) => typeof part === "string").join(" ");
  const said = request === "" ? [msg, words] : [request, words ?? msg];
  return withoutUrls(redact(said.filter((part) => part !== undefined).join(": "))).slice(0, MAX_LENGTH);
}

/** Replaces each URL by its host: paths and queries can contain keys of providers. */
const withoutUrls = (text: string): string =>
  text.replaceAll(/\b(?:https?|wss?):\/\/[^\s"'<>]+/g, (url) => URL.parse(url)?.host ?? "a URL");

/**
 * viem's message is a paragraph with URL, request and version; the node's own words follow "Details:", the HTTP status
 * follows "Status:".
 */
function wordsOf(message: string): string {
  const line = (name: string) => new RegExp(`^${name}: (.+)$`, "m").exec(message)?.[1];
  const details = line("Details") ?? message.split("\n", 1)[0]!;
  const status = line("Status");
  return status === undefined ? details : `HTTP ${status}, ${details}`;
}
