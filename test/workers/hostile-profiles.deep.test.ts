/** The random cases of hostile-profiles.test.ts, a larger share of them. */
import "./hostile-profiles.test.ts";
