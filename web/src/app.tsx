/** The views and their addresses. The directory is in the first script; the other views are loaded on demand. */
import { lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { DirectoryPage } from "./directory/page.tsx";
import { NotFound } from "./pages/not-found.tsx";
import { addressRef } from "./shell/address.ts";
import { Shell } from "./shell/shell.tsx";

const AgentPage = lazy(() => import("./agent/page.tsx"));
const ForeignPage = lazy(() => import("./agent/foreign-page.tsx"));
const DiscoverPage = lazy(() => import("./discover/page.tsx"));
const LeaderboardPage = lazy(() => import("./pages/leaderboard.tsx"));
const ComparePage = lazy(() => import("./pages/compare.tsx"));
const PeoplePage = lazy(() => import("./pages/people.tsx"));
const GroupsPage = lazy(() => import("./pages/groups.tsx"));
const StatusPage = lazy(() => import("./pages/status.tsx"));
const MintPage = lazy(() => import("./mint/page.tsx"));

export const App = () => (
  <Shell>
    <Suspense fallback={<div className="page" aria-busy="true" />}>
      <Switch>
        <Route path="/" component={DirectoryPage} />
        <Route path="/terminal" component={DirectoryPage} />
        <Route path="/agent/:ref">{() => <AgentPage key={addressRef()} agentRef={addressRef()} />}</Route>
        <Route path="/terminal/:ref">{() => <ForeignPage key={addressRef()} agentRef={addressRef()} />}</Route>
        <Route path="/discover" component={DiscoverPage} />
        <Route path="/leaderboard" component={LeaderboardPage} />
        <Route path="/compare" component={ComparePage} />
        <Route path="/people" component={PeoplePage} />
        <Route path="/groups" component={GroupsPage} />
        <Route path="/status" component={StatusPage} />
        <Route path="/mint" component={MintPage} />
        <Route component={NotFound} />
      </Switch>
    </Suspense>
  </Shell>
);
