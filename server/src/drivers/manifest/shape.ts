/** Rule of a text: its length in code points, and further conditions. `says` completes the sentence "It must be …". */
export type TextRule = {
  readonly is: 'text';
  readonly min: number;
  readonly max: number;
  readonly pattern?: RegExp;
  /** Check that a pattern cannot express; the published schema leaves it out. */
  readonly test?: (text: string) => boolean;
  readonly says: string;
  readonly code?: 'path_invalid';
};

type ObjectRule = {
  readonly is: 'object';
  readonly fields: Readonly<Record<string, Rule>>;
  readonly required: readonly string[];
  /** Number of its fields that may be set together. */
  readonly count?: { readonly min: number; readonly max: number };
};

export type Rule =
  | TextRule
  | { readonly is: 'boolean' }
  | { readonly is: 'integer'; readonly min: number; readonly max: number }
  | { readonly is: 'word'; readonly values: readonly string[] }
  | { readonly is: 'json' }
  | {
      readonly is: 'list';
      readonly item: Rule;
      readonly min: number;
      readonly max: number;
      readonly isUnique: boolean;
    }
  | { readonly is: 'map'; readonly key: TextRule; readonly value: Rule; readonly min: number; readonly max: number }
  | ObjectRule
  /** An object whose field `by` selects one of several cases. */
  | { readonly is: 'choice'; readonly by: string; readonly cases: Readonly<Record<string, ObjectRule>> };

declare const held: unique symbol;
/** A closed description of JSON as data that carries the type of valid values. */
export type Shape<T, R extends Rule = Rule> = R & { readonly [held]?: T };
/** Type of the values that match a shape. */
export type Held<S> = S extends { readonly [held]?: infer T } ? Exclude<T, undefined> : never;

type Fields = Readonly<Record<string, Shape<unknown>>>;
type Together<R extends Fields, O extends Fields> = { readonly [K in keyof R]: Held<R[K]> } & {
  readonly [K in keyof O]?: Held<O[K]>;
};

export const text = (rule: Omit<TextRule, 'is'>): Shape<string, TextRule> => ({ is: 'text', ...rule });
export const boolean: Shape<boolean> = { is: 'boolean' };
export const json: Shape<unknown> = { is: 'json' };
export const integer = (min: number, max: number): Shape<number> => ({ is: 'integer', min, max });
export const enumOf = <const W extends string>(...values: readonly W[]): Shape<W> => ({ is: 'word', values });
export const list = <T>(item: Shape<T>, min: number, max: number): Shape<readonly T[]> => ({
  is: 'list',
  item,
  min,
  max,
  isUnique: false,
});
/** Returns a list in which no text appears twice. */
export const set = <T>(item: Shape<T>, min: number, max: number): Shape<readonly T[]> => ({
  is: 'list',
  item,
  min,
  max,
  isUnique: true,
});
export const map = <T>(
  key: Shape<string, TextRule>,
  value: Shape<T>,
  count: { min: number; max: number },
): Shape<Readonly<Record<string, T>>> => ({ is: 'map', key, value, ...count });

/** Returns a closed object: its required fields and its optional fields. */
export const object = <R extends Fields, O extends Fields = Record<never, never>>(
  required: R,
  optional: O = {} as O,
  count?: { min: number; max: number },
): Shape<Together<R, O>, ObjectRule> => ({
  is: 'object',
  fields: { ...required, ...optional },
  required: Object.keys(required),
  ...(count && { count }),
});

export const choice = <C extends Readonly<Record<string, Shape<unknown, ObjectRule>>>>(
  by: string,
  cases: C,
): Shape<{ [K in keyof C]: Held<C[K]> }[keyof C]> => ({ is: 'choice', by, cases });
