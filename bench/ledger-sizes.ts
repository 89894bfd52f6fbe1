/** A large ledger. */
export const many = { capsules: 1_000, runs: 100_000 };
/** A hundredth of it. */
export const few = { capsules: 10, runs: 1_000 };

/** SQL of a table `n` whose column `i` has the numbers from one to another. */
export const counted = (to: number, from = 1): string =>
  `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`;
