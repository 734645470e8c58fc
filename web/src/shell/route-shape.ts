/** @param route as the router has it: `/agent/:ref/manage/:section?` @returns what paths of it match, without anchors */
export const routeShape = (route: string): string =>
  route.replaceAll(/\/:\w+\?/g, "(?:/[^/]+)?").replaceAll(/:\w+/g, "[^/]+");
