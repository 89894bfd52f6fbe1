import type { Bearer } from './caller.ts';

/** Asks every store of tokens for a bearer. One that two of them know is nobody's (shapes 2.1). */
export const findBearerIn =
  (stores: readonly ((token: string) => Bearer | undefined)[]) =>
  (token: string): Bearer | undefined => {
    const matches = stores.flatMap((find) => find(token) ?? []);
    return matches.length === 1 ? matches[0] : undefined;
  };
