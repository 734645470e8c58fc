/** The reader of one kind of endpoint: asks it what its agent offers, without a payment, a credential or a call. */
import type { Method, Offer } from "./offer.ts";

export type EndpointRequest = {
  url: string;
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /** Reads no content, as an answer may never end: `text` is empty. */
  headOnly?: boolean;
  /**
   * Of an answer that is a stream of events: takes each event that has data as it arrives, as its lines. What it returns is
   * sent while the stream stays open; "enough" ends it. It is bound as `read` is.
   */
  onEvent?: (event: string) => readonly EndpointRequest[] | "enough";
};
/** Header names are lower-case; `url` is where the answer came from after redirects. */
export type EndpointAnswer = { status: number; headers: Record<string, string | undefined>; text: string; url: string };

/**
 * Sends one request and reads its answer.
 * @param read everything that walks the answer: it has a limit of time, and no effect outside
 * @throws what ends the reading: no answer, none now, or one that takes too long to read
 */
export type Send = <T>(request: EndpointRequest, read: (answer: EndpointAnswer) => T) => Promise<T>;

export type EndpointReading =
  /** `isPartial`: there are more, which could not be read. `isSigned`: by a key that the host publishes. `why`: what is wrong with the answer, though it was read. */
  | {
      kind: "offers";
      offers: Offer[];
      etag: string | null;
      lastModified: string | null;
      isPartial?: boolean;
      isSigned?: boolean;
      why?: string;
    }
  /** The version whose validators were sent is current. */
  | { kind: "unchanged" }
  /** It lives, and says nothing without a credential. */
  | { kind: "needs_credentials" }
  /** It lives, and has nothing that can be read. */
  | { kind: "nothing"; why: string }
  /** It lives, and its document is too large or complex for us: the offers of the last reading are kept. */
  | { kind: "beyond_us"; why: string }
  /** It answers with something else than its kind does: to a caller it is as good as silent. */
  | { kind: "unreadable"; why: string };

export type OfferReader = {
  /**
   * @param conditional headers of a conditional request, empty when no version is known
   * @param method how it is called as far as that is known
   * @throws what `send` throws; BeyondUs
   */
  read(url: string, send: Send, conditional: Record<string, string>, method: Method | null): Promise<EndpointReading>;
};

/** What a status says where no content is expected; null for one that may have content. */
export function withoutContent(status: number): EndpointReading | null {
  if (status === 401 || status === 403) return { kind: "needs_credentials" };
  if (status === 304) return { kind: "unchanged" };
  return null;
}
