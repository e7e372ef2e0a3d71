/** The exports of `effect/Schema` that generated code uses: all of them would make every start of the command a fifth longer. */
export { Array, Boolean, Finite, Int, Json, Literal, Literals, Never, Null, Record, String } from "effect/Schema"
export { Struct, StructWithRest, Tuple, TupleWithRest, Union, Unknown } from "effect/Schema"
export { brand, decodeTo, optionalKey, suspend } from "effect/Schema"
export { isGreaterThan, isGreaterThanOrEqualTo, isLessThan, isLessThanOrEqualTo, isMultipleOf } from "effect/Schema"
export { isMaxCodePoints, isMaxLength, isMinCodePoints, isMinLength, isPattern } from "effect/Schema"
