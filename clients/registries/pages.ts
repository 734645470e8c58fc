/** The type of functions that open the pages of a registry. */
import type { Upstream } from "../http.ts";
import type { Registry } from "../ports.ts";

/**
 * @param upstream opened on the registry's URL, with its limits
 * @param about.chainId chain whose agents are listed
 * @param about.pageSize max items of a page that the registry returns
 */
export type OpenPages = (upstream: Upstream, about: { chainId: number; pageSize: number }) => Registry;
