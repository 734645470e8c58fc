/** The views by the shape of their paths, each in files of its own. The page of an address names them (web/vite.config.ts), so that they come beside the first script. */
import type { ComponentType } from "react";
import { Route, Switch } from "wouter";
import { onDemand } from "./parts/states.tsx";
import { addressRef } from "./shell/address.ts";
import { Shell } from "./shell/shell.tsx";
import { View } from "./shell/view.tsx";

type Entry = readonly [shape: string, load: () => Promise<{ default: ComponentType }>, each?: "each"];

/** An address has the first view whose shape it has. `each`: what it names is another page, not another state of this one. */
const VIEWS: readonly Entry[] = [
  ["/(terminal)?", () => import("./directory/page.tsx")],
  ["/agent/[^/]+", () => import("./agent/page.tsx"), "each"],
  ["/agent/[^/]+/manage(/[^/]+)?", () => import("./manage/page.tsx"), "each"],
  ["/terminal/[^/]+", () => import("./agent/foreign-page.tsx"), "each"],
  ["/discover", () => import("./discover/page.tsx")],
  ["/leaderboard", () => import("./pages/leaderboard.tsx")],
  ["/compare", () => import("./compare/page.tsx")],
  ["/people", () => import("./people/page.tsx")],
  ["/people/join", () => import("./people/join.tsx")],
  ["/people/return", () => import("./people/return.tsx")],
  ["/human/[^/]+", () => import("./people/human.tsx")],
  ["/org/[^/]+", () => import("./people/organization.tsx")],
  ["/groups/new", () => import("./groups/new.tsx")],
  ["/groups(/[^/]+)?", () => import("./groups/page.tsx")],
  ["/docs(/(guide/)?[^/]+)?", () => import("./docs/page.tsx")],
  ["/score", () => import("./pages/score.tsx")],
  ["/status", () => import("./status/page.tsx")],
  ["/mint", () => import("./mint/page.tsx")],
  ["/me", () => import("./me/page.tsx")],
  ["/owner/[^/]+", () => import("./owner/page.tsx")],
  ["/report/check", () => import("./report/check-page.tsx")],
  ["/report/[^/]+", () => import("./report/page.tsx"), "each"],
  ["/operator", () => import("./operator/page.tsx")],
];

const pathOf = (shape: string): RegExp => new RegExp(`^${shape}/?$`, "i");
/** The files of the opened address are on their way before anything is rendered. */
const opened = VIEWS.find(([shape]) => pathOf(shape).test(location.pathname));
const begun = opened?.[1]();
// A failure is shown where the view is rendered.
begun?.catch(() => {});

const ROUTES = VIEWS.map((entry) => {
  const [shape, load, each] = entry;
  return { shape, path: pathOf(shape), Page: onDemand(load, entry === opened ? begun : undefined), each };
});
const NotFound = onDemand(() => import("./pages/not-found.tsx"));

export const App = () => (
  <Shell>
    <View>
      <Switch>
        {ROUTES.map(({ shape, path, Page, each }) => (
          <Route key={shape} path={path}>
            {() => <Page key={each && addressRef()} />}
          </Route>
        ))}
        <Route component={NotFound} />
      </Switch>
    </View>
  </Shell>
);
