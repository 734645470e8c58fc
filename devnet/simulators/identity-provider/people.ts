/** The people with an account at the simulated identity provider. */
import { z } from "zod";

/** As it is added by control; `claims` override those of the person's access tokens. */
export const person = z.object({ name: z.string().max(64), claims: z.record(z.string(), z.unknown()).default({}) });
export type Person = z.output<typeof person> & { sub: string };

/** The people of a provider where no person was added. */
export const TEST_PEOPLE: Person[] = [
  { sub: "test-ada", name: "Ada Test", claims: {} },
  { sub: "test-grace", name: "Grace Test", claims: {} },
  { sub: "test-noor", name: "Noor Test", claims: {} },
];
