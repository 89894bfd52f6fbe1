import type { Bearer } from './caller.ts';

/** Looks a bearer up in every store of tokens. One found in two stores is invalid. */
export const findBearerIn =
  (stores: readonly ((token: string) => Bearer | undefined)[]) =>
  (token: string): Bearer | undefined => {
    const matches = stores.flatMap((find) => find(token) ?? []);
    return matches.length === 1 ? matches[0] : undefined;
  };
