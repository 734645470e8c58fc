/** The views that the bars, the palette and the keys lead to. */

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
  { to: "/", label: "Directory", key: "h", small: true },
  { to: "/discover", label: "Discover", key: "d", small: true },
  { to: "/leaderboard", label: "Leaderboard", key: "l", small: true },
  { to: "/compare", label: "Compare", key: "c", small: false },
  { to: "/people", label: "People", key: "p", small: false },
  { to: "/groups", label: "Groups", key: "m", small: false },
  { to: "/mint", label: "Register", key: "r", small: true },
  { to: "/operator", label: "Operator", key: "o", small: false, rare: true },
  { to: "/score", label: "How the score is made", key: "w", small: false, rare: true },
  { to: "/docs", label: "API reference", key: "a", small: false, rare: true },
  { to: "/status", label: "Status", key: "s", small: false },
];
