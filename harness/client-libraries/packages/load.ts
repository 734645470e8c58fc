/** Imports packages of this folder. It lies here because a module finds packages from where it lies. */
export const load = (name: string) => import(name);
