// Finds members that are `any`.
type IsAny<T> = 0 extends 1 & T ? true : false;

/** `any` if a type, or the item of a list of it at any depth, is `any`. */
export type AnyPaths<T> =
  IsAny<T> extends true
    ? "any"
    : T extends readonly (infer Item)[]
      ? AnyPaths<Item>
      : never;

/** `any` if a member of a type is `any`. */
export type Members<T> = { [Key in keyof T]-?: AnyPaths<T[Key]> }[keyof T];
