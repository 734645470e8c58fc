/** Lists of what has no space in it, for tables of tests. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
