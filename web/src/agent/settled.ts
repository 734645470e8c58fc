/** Whether the lower panels of an agent's page may be shown: before the upper ones have their evidence, they would jump down when it comes. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { offering } from "../directory/source.ts";
import { preflightOf } from "./preflight.tsx";
import { reviewPages, reviewsPath } from "./reviews.tsx";
import { jobPages, paymentPages, paymentsPath } from "./work.tsx";

/** Max milliseconds that they wait. */
const MAX_WAIT_MS = 3_000;

/**
 * Asks for the evidence of the upper panels, all at once.
 * @param platform null while it is not known @param shows which of them the page has
 * @returns whether all of it is there, or late
 */
export function useSettled(
  agentRef: string,
  platform: string | null,
  shows: { work: boolean; jobs: boolean },
): boolean {
  const of = [agentRef, platform ?? ""] as const;
  const isLoaded = [
    useQuery({ ...offering(...of), enabled: platform !== null }),
    useQuery({ ...preflightOf(...of, ""), enabled: platform !== null }),
    useInfiniteQuery({ ...paymentPages(paymentsPath(...of)), enabled: shows.work }),
    useInfiniteQuery({ ...jobPages(...of), enabled: shows.work && shows.jobs }),
    useInfiniteQuery({ ...reviewPages(reviewsPath(...of)), enabled: shows.work }),
  ].every(({ isLoading }) => !isLoading);
  // For good: a part that is shown asks again for what was refused, and would be taken away until that is refused again.
  const wasLoaded = useRef(false);
  wasLoaded.current ||= isLoaded;
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), MAX_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  return wasLoaded.current || isLate;
}
