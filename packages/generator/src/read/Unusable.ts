import * as Data from "effect/Data"

/** A document, a patch, an option or a folder that the command cannot use. */
export class Unusable extends Data.TaggedError("Unusable")<{ readonly message: string }> {}

/** A patch no longer fits the document. */
export class Misfit extends Data.TaggedError("Misfit")<{ readonly message: string }> {}

/** Fails because of an option, a file or a folder. */
export const unusable = (message: string) => new Unusable({ message })
