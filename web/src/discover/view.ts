/** The view of discovery: the query of the page's address, the paths of its API calls, and its filters. */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { PLATFORMS } from "../../../core/directory/platforms.ts";
import { PROTOCOLS } from "../../../core/directory/protocols.ts";
import { call } from "../api/answer.ts";
import type { DiscoveryAnswer } from "../api/types.ts";
import { platformLabel } from "../directory/facets.ts";
import { TIERS } from "../tiers.ts";
import { MAX_QUERY_LENGTH } from "./can-do.ts";

const PAGE_SIZE = 20;

/** Filters by the API's parameters; absent ones filter nothing. */
export type View = {
  q: string;
  speaks: string[];
  platform: string[];
  chain: string | null;
  minCred: string | null;
  verified: string | null;
  accepts: string | null;
  maxPrice: string | null;
};

const known = (text: string | null, words: readonly string[]): string[] =>
  (text ?? "").split(",").filter((word) => words.includes(word));
const matching = (text: string | null, form: RegExp): string | null => (text !== null && form.test(text) ? text : null);

/** Parses a view from the query; invalid values are ignored. */
export const readView = (params: URLSearchParams): View => ({
  q: (params.get("q") ?? "").slice(0, MAX_QUERY_LENGTH),
  speaks: known(params.get("speaks"), PROTOCOLS),
  platform: known(
    params.get("platform"),
    PLATFORMS.map(({ key }) => key),
  ),
  chain: matching(params.get("chain"), /^[1-9]\d{0,8}$/),
  minCred: matching(params.get("minCred"), /^([1-9]\d?|100)$/),
  verified: matching(params.get("verified"), /^(true|false)$/),
  accepts: matching(params.get("accepts"), /^x402$/),
  maxPrice: matching(params.get("maxPrice"), /^\d{1,6}(\.\d{1,6})?$/),
});

/** The query of a view; defaults are left out. */
export function writeView(view: View): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(view)) {
    const text = Array.isArray(value) ? value.join(",") : value;
    if (text) params.set(name, text);
  }
  return params;
}

export const NO_FILTERS = readView(new URLSearchParams());
/** Number of filters in addition to the words. */
export const filterCount = (view: View): number => [...writeView({ ...view, q: "" })].length;

/** Of a page of hits in the API. */
export function discoverPath(view: View, cursor?: string | null): string {
  const params = writeView(view);
  params.set("limit", String(PAGE_SIZE));
  if (cursor) params.set("cursor", cursor);
  return `/api/v2/discover?${params}`;
}

/** All pages of a view that were loaded. */
export const discovered = (view: View) =>
  infiniteQueryOptions({
    queryKey: ["discover", discoverPath(view)],
    queryFn: ({ pageParam, signal }) => call<DiscoveryAnswer>(discoverPath(view, pageParam), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ data }) => data.nextCursor,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });

export type FacetGroup = {
  key: keyof DiscoveryAnswer["facets"];
  title: string;
  label(value: string): string;
  /** The values that the view filters by. */
  chosen(view: View): string[];
  /** The view with a value chosen, or no longer chosen. */
  choose(view: View, value: string): View;
};

export const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const toggled = (values: string[], value: string): string[] =>
  values.some((other) => isSame(other, value)) ? values.filter((other) => !isSame(other, value)) : [...values, value];

const CHAINS: Record<string, string> = { "8453": "Base", "1": "Ethereum", "4217": "Tempo", "84532": "Base Sepolia" };
const tierNamed = (value: string) => TIERS.find(({ key }) => isSame(key, value));
const protocolNamed = (value: string) => PROTOCOLS.find((protocol) => isSame(protocol, value)) ?? value;

/** A facet of which one value can be chosen: the parameter has the value itself. */
const single = (
  key: "accepts" | "verified" | "chain",
  title: string,
  label: (value: string) => string,
): FacetGroup => ({
  key,
  title,
  label,
  chosen: (view) => (view[key] === null ? [] : [view[key]]),
  choose: (view, value) => ({ ...view, [key]: view[key] === value ? null : value }),
});

export const FACETS: FacetGroup[] = [
  {
    key: "speaks",
    title: "Speaks",
    label: protocolNamed,
    chosen: ({ speaks }) => speaks,
    choose: (view, value) => ({ ...view, speaks: toggled(view.speaks, protocolNamed(value)) }),
  },
  single("accepts", "Takes payment by", (value) => value),
  {
    key: "tier",
    title: "Cred, at least",
    label: (value) => tierNamed(value)?.label ?? value,
    chosen: ({ minCred }) => TIERS.filter(({ from }) => String(from) === minCred).map(({ key }) => key),
    choose(view, value) {
      const from = tierNamed(value)?.from ?? 0;
      return { ...view, minCred: from === 0 || view.minCred === String(from) ? null : String(from) };
    },
  },
  single("verified", "Wallet", (value) => (value === "true" ? "Proven" : "Not proven")),
  {
    key: "platform",
    title: "Registry",
    label: platformLabel,
    chosen: ({ platform }) => platform,
    choose: (view, value) => ({ ...view, platform: toggled(view.platform, value) }),
  },
  single("chain", "Chain", (value) => CHAINS[value] ?? `Chain ${value}`),
];

/** Limits of price that the page offers, in US dollars. */
export const PRICES: [value: string, label: string][] = [
  ["0", "Free"],
  ["0.01", "1¢"],
  ["0.05", "5¢"],
  ["0.5", "50¢"],
  ["5", "$5"],
];
