/** The type of functions that open the pages of a registry. */
import type { Upstream } from "../http.ts";
import type { Registry } from "../ports.ts";

/** @param upstream opened on the registry's URL @param about.chainId chain whose agents are listed */
export type OpenPages = (upstream: Upstream, about: { chainId: number }) => Registry;
