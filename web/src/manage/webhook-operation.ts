/** A write about webhooks: after it the wallet's webhooks and their deliveries are read again. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type RunningOperation, useOperation } from "../wallet/operation.tsx";

export const WEBHOOKS = "/api/v2/webhooks";

/** @param name of the operation and its webhook */
export function useWebhookOperation<T>(name: string): RunningOperation<T> {
  const op = useOperation<T>({ name: `webhook.${name}`, caller: "siwa" });
  const queries = useQueryClient();
  const { at } = op.state;
  useEffect(() => {
    const isWebhooks = (key: unknown) => typeof key === "string" && key.startsWith(WEBHOOKS);
    // A refusal may say that another page has changed it.
    if (at === "done" || at === "refused")
      void queries.invalidateQueries({ predicate: ({ queryKey }) => isWebhooks(queryKey[0]) });
  }, [at, queries]);
  return op;
}
