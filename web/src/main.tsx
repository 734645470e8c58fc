/** Entry point of the web terminal. */
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { askAhead } from "./api/ahead.ts";
import { followEvents } from "./api/events.ts";
import { createQueryClient, recoverWith } from "./api/queries.ts";
import { App } from "./app.tsx";
import { Boundary, FailureNote } from "./parts/boundary.tsx";
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
