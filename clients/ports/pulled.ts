/** Ports of what the workers pull: registries, documents, reputation, market data. */

import type { Address } from "../../core/agents/facts.ts";
import type { Market } from "../../core/directory/row.ts";
import type { FailureCause } from "../../core/offers/probe.ts";
import type { EndpointRequest } from "../../core/offers/reader.ts";

/** Reputation by Ethos (0 to 2800). */
export interface Ethos {
  /** Max addresses of one call. */
  readonly batch: number;
  /**
   * Scores of wallets; null: Ethos does not know the wallet; undefined: its answer cannot be read.
   * @throws Failure upstream_unavailable
   */
  scores(wallets: readonly Address[]): Promise<Map<Address, number | null | undefined>>;
}

/** Validators of a document's version (RFC 9110, section 8.8). */
export type Validators = { etag: string | null; lastModified: string | null };

/** A page of a registry's items in their own form. `next` names the next page, null at the end. */
export type RegistryPage = {
  items: readonly unknown[];
  next: unknown;
  /** Items in all pages; null where the registry does not say. */
  expected: number | null;
  /** Of this page; null where the registry gives none. */
  validators: Validators | null;
  /** Why items may be missing here, one sentence: items that were not shown are not gone. */
  cut?: string;
  /** It is smaller than the registry's pages, because a larger one could not be read. */
  reduced?: true;
  /** No page at its place could be read, however small: the place was skipped, and `next` is behind it. */
  skipped?: { place: string; reason: SkipReason };
};

/** Why a page could not be read: beyond the registry's limit of size, beyond its limit of time, or an error. */
export type SkipReason = "too large" | "too slow" | "failed";

export type PageOptions = {
  /** Validators of the stored version; not with `since`. */
  known?: Validators | null | undefined;
  /** The page failed before: it is read in smaller pages, and at last skipped, also when the registry answers with errors. */
  insist?: boolean;
  /** Min items of a page that is read, and skipped, on its own. 1 by default. */
  smallest?: number;
};

/** A registry of agents that is read page by page. */
export interface Registry {
  /** Whether it can list the changes since a time. */
  readonly incremental: boolean;
  /** Whether pages of one sweep repeat items by design. */
  readonly overlapping?: boolean;
  /**
   * @param cursor `next` of the page before; null for the first page
   * @param since ISO 8601: only items that changed since; null for all
   * @returns `unchanged` when the page is still the stored version; it was neither sent nor read
   * @throws Failure upstream_unavailable when it does not answer, or not in its documented form
   */
  page(cursor: unknown, since: string | null, options?: PageOptions): Promise<RegistryPage | "unchanged">;
}

/** The registries by their key in core/directory/registries.ts. */
export type Registries = Record<string, Registry>;

/** What came of a request to an untrusted address. `reason` is a sentence; `final`: another request soon would fail too. */
export type ForeignAnswer =
  /** Any status but 429 and 503; 503 is `failed`. Header names are lower-case; `url` is where the answer came from after redirects. */
  | {
      kind: "answered";
      status: number;
      headers: Record<string, string | undefined>;
      text: string;
      /** What `text` was read from; missing where the content was not read. */
      bytes?: Uint8Array;
      url: string;
      /** Until it was read, in milliseconds, without the time it waited for its turn; absent where that is not known. */
      ms?: number;
    }
  /**
   * `answered`: the server did answer, and it is we who cannot read that; `oversize`: because it is too large. `unasked`: it is
   * we who do not ask there. `cause`: why no answer came, `ours` where that was seen to be a fault of our own side. `status`: of
   * an answer that counts as none.
   */
  | {
      kind: "failed";
      reason: string;
      final: boolean;
      answered?: true;
      oversize?: true;
      unasked?: true;
      cause?: FailureCause | "ours";
      status?: number;
    }
  /** The server answers 429: it wants no request for `seconds`. */
  | { kind: "limited"; seconds: number }
  /** Our own pace allows the request in `seconds`. It was not sent, or, with `askedOther`, only to a host that redirects to the one that must wait. */
  | { kind: "deferred"; seconds: number; askedOther?: true };

export type ForeignRequest = Omit<EndpointRequest, "onEvent"> & {
  /** Max bytes to read, up to 1 MiB. */
  maxBytes?: number;
  /** Sent because of a list of addresses, not of this one: what its host's robots.txt forbids is not asked. */
  isProbe?: true;
  /** Ends the request: nobody waits for its answer. It says nothing of the host. */
  signal?: AbortSignal;
  /**
   * Receives the lines of each event that has data, as it arrives, where the answer is a stream of events; the next event
   * waits for it. True: the rest is not read.
   */
  onEvent?: (event: string) => boolean | Promise<boolean>;
};

/** Sends requests to untrusted addresses. Never throws: a failure is a value. */
export interface ForeignEndpoints {
  send(request: ForeignRequest): Promise<ForeignAnswer>;
}

/** A document by its URL. `final`: another request soon would fail too. `reason` is a sentence. */
export type FetchedDocument =
  | { kind: "fetched"; text: string; validators: Validators | null }
  | { kind: "unchanged" }
  | { kind: "failed"; reason: string; final: boolean }
  /** Nothing was read: the server's rate allows the next request in `seconds`. */
  | { kind: "deferred"; seconds: number };

/** Fetches the documents behind foreign URIs. Never throws: a failure is a value. */
export interface Documents {
  /** @param known validators of the stored version */
  get(url: string, known: Validators | null): Promise<FetchedDocument>;
}

/** What a market says about a token, in US dollars; `basis` names the figure used as capitalisation. */
export type TokenQuote = Omit<Market, "source"> & { basis: "market_cap" | "fdv" | null };

/** A source of prices of tokens on the chain. */
export interface Markets {
  /** As `market_data_source` names it. */
  readonly source: string;
  /** Max tokens of one request. */
  readonly batch: number;
  /**
   * Quotes by token, without the tokens that it does not know.
   * @param tokens addresses in lower case
   * @throws Failure upstream_unavailable
   */
  quotes(tokens: readonly string[]): Promise<Map<string, TokenQuote>>;
}
