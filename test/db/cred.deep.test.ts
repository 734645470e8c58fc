/** The random cases of cred.test.ts, a larger share of them. */
import "./cred.test.ts";
