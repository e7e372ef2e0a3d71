/** The same page in a browser of September 2022, as far as features that are missing show. */
import "../../fixtures/Floor.ts"
import "./page.ts"
