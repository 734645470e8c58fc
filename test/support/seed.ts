/** The same random cases in every run: a change is judged by what it does. `npm run trial -- fuzz` and `npm run nightly` draw others. */
export const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
