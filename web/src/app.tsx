/** The views and their addresses, each in files of its own. The page of an address names them (web/vite.config.ts), so that they come beside the first script. */
import type { ComponentType } from "react";
import { Route, Switch } from "wouter";
import { onDemand } from "./parts/states.tsx";
import { addressRef } from "./shell/address.ts";
import { routeShape } from "./shell/route-shape.ts";
import { Shell } from "./shell/shell.tsx";
import { View } from "./shell/view.tsx";

const NotFound = onDemand(() => import("./pages/not-found.tsx"));
const DirectoryPage = view("/(terminal)?", () => import("./directory/page.tsx"));
const AgentPage = view("/agent/:ref", () => import("./agent/page.tsx"));
const ForeignPage = view("/terminal/:ref", () => import("./agent/foreign-page.tsx"));
const DiscoverPage = view("/discover", () => import("./discover/page.tsx"));
const LeaderboardPage = view("/leaderboard", () => import("./pages/leaderboard.tsx"));
const ComparePage = view("/compare", () => import("./compare/page.tsx"));
const PeoplePage = view("/people", () => import("./people/page.tsx"));
const GroupsPage = view("/groups/:id?", () => import("./groups/page.tsx"));
const DocsPage = view("/docs(/.*)?", () => import("./docs/page.tsx"));
const ScorePage = view("/score", () => import("./pages/score.tsx"));
const StatusPage = view("/status", () => import("./status/page.tsx"));
const MintPage = view("/mint", () => import("./mint/page.tsx"));
const MePage = view("/me", () => import("./me/page.tsx"));
const ManagePage = view("/agent/:ref/manage/:section?", () => import("./manage/page.tsx"));
const OwnerPage = view("/owner/:address", () => import("./owner/page.tsx"));
const ReportPage = view("/report/:ref", () => import("./report/page.tsx"));
const JoinPage = view("/people/join", () => import("./people/join.tsx"));
const ReturnPage = view("/people/return", () => import("./people/return.tsx"));
const HumanPage = view("/human/:id", () => import("./people/human.tsx"));
const OrganizationPage = view("/org/:id", () => import("./people/organization.tsx"));
const NewGroupPage = view("/groups/new", () => import("./groups/new.tsx"));
const OperatorPage = view("/operator", () => import("./operator/page.tsx"));

/**
 * A view in files of its own. Those of the opened address are on their way before anything is rendered.
 * @param path its route
 */
function view<P extends object>(path: string, load: () => Promise<{ default: ComponentType<P> }>) {
  const opened = new RegExp(`^${routeShape(path)}$`).test(location.pathname) ? load() : undefined;
  // A failure is shown where the view is rendered.
  opened?.catch(() => {});
  return onDemand(load, opened);
}

export const App = () => (
  <Shell>
    <View>
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
    </View>
  </Shell>
);
