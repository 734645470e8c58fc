/** The views and their addresses. The directory is in the first script; the other views are loaded on demand. */
import { type ComponentType, lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { DirectoryPage } from "./directory/page.tsx";
import { NotFound } from "./pages/not-found.tsx";
import { addressRef } from "./shell/address.ts";
import { Shell } from "./shell/shell.tsx";

const AgentPage = onDemand("/agent/:ref", () => import("./agent/page.tsx"));
const ForeignPage = onDemand("/terminal/:ref", () => import("./agent/foreign-page.tsx"));
const DiscoverPage = onDemand("/discover", () => import("./discover/page.tsx"));
const LeaderboardPage = onDemand("/leaderboard", () => import("./pages/leaderboard.tsx"));
const ComparePage = onDemand("/compare", () => import("./compare/page.tsx"));
const PeoplePage = onDemand("/people", () => import("./people/page.tsx"));
const GroupsPage = onDemand("/groups/:id?", () => import("./groups/page.tsx"));
const DocsPage = onDemand("/docs(/.*)?", () => import("./docs/page.tsx"));
const ScorePage = onDemand("/score", () => import("./pages/score.tsx"));
const StatusPage = onDemand("/status", () => import("./status/page.tsx"));
const MintPage = onDemand("/mint", () => import("./mint/page.tsx"));
const MePage = onDemand("/me", () => import("./me/page.tsx"));
const ManagePage = onDemand("/agent/:ref/manage/:section?", () => import("./manage/page.tsx"));
const OwnerPage = onDemand("/owner/:address", () => import("./owner/page.tsx"));
const ReportPage = onDemand("/report/:ref", () => import("./report/page.tsx"));
const JoinPage = onDemand("/people/join", () => import("./people/join.tsx"));
const ReturnPage = onDemand("/people/return", () => import("./people/return.tsx"));
const HumanPage = onDemand("/human/:id", () => import("./people/human.tsx"));
const OrganizationPage = onDemand("/org/:id", () => import("./people/organization.tsx"));
const NewGroupPage = onDemand("/groups/new", () => import("./groups/new.tsx"));
const OperatorPage = onDemand("/operator", () => import("./operator/page.tsx"));

/**
 * A view in files of its own. Those of the opened address are on their way before anything is rendered.
 * @param path its route
 */
function onDemand<P>(path: string, load: () => Promise<{ default: ComponentType<P> }>) {
  const shape = path.replaceAll(/\/:\w+\?/g, "(/[^/]+)?").replaceAll(/:\w+/g, "[^/]+");
  const opened = new RegExp(`^${shape}$`).test(location.pathname) ? load() : null;
  // A failure is shown where the view is rendered.
  opened?.catch(() => {});
  return lazy(() => opened ?? load());
}

export const App = () => (
  <Shell>
    <Suspense fallback={<div className="page" aria-busy="true" />}>
      <Switch>
        <Route path="/" component={DirectoryPage} />
        <Route path="/terminal" component={DirectoryPage} />
        <Route path="/agent/:ref">{() => <AgentPage key={addressRef()} agentRef={addressRef()} />}</Route>
        <Route path="/agent/:ref/manage/:section?">
          {({ section }) => <ManagePage key={addressRef()} agentRef={addressRef()} section={section} />}
        </Route>
        <Route path="/terminal/:ref">{() => <ForeignPage key={addressRef()} agentRef={addressRef()} />}</Route>
        <Route path="/discover" component={DiscoverPage} />
        <Route path="/leaderboard" component={LeaderboardPage} />
        <Route path="/compare" component={ComparePage} />
        <Route path="/people" component={PeoplePage} />
        <Route path="/groups" component={GroupsPage} />
        <Route path="/docs">{() => <DocsPage />}</Route>
        <Route path="/docs/guide/:name">{({ name }) => <DocsPage guide={name} />}</Route>
        <Route path="/docs/:operation">{({ operation }) => <DocsPage operation={operation} />}</Route>
        <Route path="/score" component={ScorePage} />
        <Route path="/status" component={StatusPage} />
        <Route path="/mint" component={MintPage} />
        <Route path="/me" component={MePage} />
        <Route path="/owner/:address" component={OwnerPage} />
        <Route path="/report/:ref" component={ReportPage} />
        <Route path="/people/join" component={JoinPage} />
        <Route path="/people/return" component={ReturnPage} />
        <Route path="/human/:id" component={HumanPage} />
        <Route path="/org/:id" component={OrganizationPage} />
        <Route path="/groups/new" component={NewGroupPage} />
        <Route path="/groups/:id">{() => <GroupsPage />}</Route>
        <Route path="/operator" component={OperatorPage} />
        <Route component={NotFound} />
      </Switch>
    </Suspense>
  </Shell>
);
