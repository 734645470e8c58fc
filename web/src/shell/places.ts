/** The views that the bars, the palette and the keys lead to. */
import { say } from "../say.tsx";

type Place = {
  to: string;
  label: string;
  /** After `g`. */
  key: string;
  /** In the bar of small screens; the others are under its "More". */
  small: boolean;
  /** In no bar: found by the palette, by its key, and where it is needed. */
  rare?: true;
};

export const PLACES: readonly Place[] = [
  { to: "/", label: say("shell.directory1"), key: "h", small: true },
  { to: "/discover", label: say("shell.discover"), key: "d", small: true },
  { to: "/leaderboard", label: say("shell.leaderboard"), key: "l", small: true },
  { to: "/compare", label: say("shell.compare"), key: "c", small: false },
  { to: "/people", label: say("shell.people"), key: "p", small: false },
  { to: "/groups", label: say("shell.groups"), key: "m", small: false },
  { to: "/mint", label: say("shell.register"), key: "r", small: true },
  { to: "/operator", label: say("operator.title"), key: "o", small: false, rare: true },
  { to: "/score", label: say("score.title"), key: "w", small: false, rare: true },
  { to: "/docs", label: say("shell.apiReference"), key: "a", small: false, rare: true },
  { to: "/status", label: say("shell.status"), key: "s", small: false },
];
