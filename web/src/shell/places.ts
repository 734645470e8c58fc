/** The views with their key after `g`; those with `small` are in the bar of small screens. */
export const PLACES = [
  { to: "/", label: "Directory", key: "h", small: true },
  { to: "/discover", label: "Discover", key: "d", small: true },
  { to: "/leaderboard", label: "Leaderboard", key: "l", small: true },
  { to: "/compare", label: "Compare", key: "c", small: false },
  { to: "/people", label: "People", key: "p", small: true },
  { to: "/groups", label: "Groups", key: "m", small: true },
  { to: "/mint", label: "Register", key: "r", small: true },
  { to: "/status", label: "Status", key: "s", small: false },
] as const;
