/** The random cases of fuzz.test.ts, a larger share of them. */
import "./fuzz.test.ts";
