/** Entry point of the web terminal. */
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { followEvents } from "./api/events.ts";
import { agent, cardPath, createQueryClient, openApi, recoverWith } from "./api/queries.ts";
import { App } from "./app.tsx";
import { Boundary, FailureNote } from "./parts/states.tsx";
import { applyTheme } from "./stored.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";
import "./styles/directory.css";
import "./styles/discover.css";
import "./styles/agent.css";
import "./styles/pages.css";
import "./styles/prove.css";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { directory, offering } from "./directory/source.ts";
import { readView } from "./directory/view.ts";
import { addressRef } from "./shell/address.ts";

applyTheme();
const queries = createQueryClient();
askAhead(queries);
followEvents(queries);
recoverWith(queries);
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Boundary instead={(failed) => <FailureNote instead {...failed} />}>
        <App />
      </Boundary>
    </QueryClientProvider>
  </StrictMode>,
);

/** Failures are left to the view, which asks again and shows them. */
function askAhead(queries: QueryClient): void {
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
