/** Requests what the opened address shows first while the first script still renders, so that the view need not wait as long. */
import type { QueryClient } from "@tanstack/react-query";
import { OWN_PLATFORM } from "../../../core/directory/platforms.ts";
import { directory, offering } from "../directory/source.ts";
import { readView } from "../directory/view.ts";
import { openApi } from "../docs/document.ts";
import { addressRef } from "../shell/address.ts";
import { agent, cardPath } from "./queries.ts";

/** Failures are left to the view, which asks again and shows them. */
export function askAhead(queries: QueryClient): void {
  const { pathname, search } = location;
  if (/^\/agent\/\d+$/.test(pathname)) void queries.prefetchQuery(offering(addressRef(), OWN_PLATFORM));
  if (/^\/agent\/[^/]+$/.test(pathname))
    queries.fetchQuery(agent(addressRef())).then(
      // The largest thing on the page: its bytes come while the page is rendered.
      ({ data }) => {
        new Image().src = cardPath(data);
      },
      () => {},
    );
  if (/^\/docs(\/|$)/.test(pathname)) void queries.prefetchQuery(openApi);
  if (pathname !== "/" && pathname !== "/terminal") return;
  const view = readView(new URLSearchParams(search));
  if (view.filter !== "watched") void queries.prefetchQuery(directory(view));
}
