/** Number of remaining occurrences of each retired word. A number may only fall. */
export type Budgets = { readonly [word: string]: number };
/** Locations of retired words: `path:line`. */
export type Occurrences = ReadonlyMap<string, readonly string[]>;

const shownLocations = 10;

/**
 * Returns the problems with the counts, one sentence per word; empty when every word occurs exactly as often as its
 * budget says. A word without a budget has the budget 0.
 */
export function findBudgetProblems(counts: Occurrences, budgets: Budgets): string[] {
  const counted = [...new Set([...counts.keys(), ...Object.keys(budgets)])].sort();
  return counted.flatMap((word) => {
    const locations = counts.get(word) ?? [];
    const budget = budgets[word] ?? 0;
    if (locations.length > budget) {
      const shown = locations.slice(0, shownLocations).join('\n    ');
      return [
        `"${word}" occurs ${locations.length} times and its budget is ${budget}. Use another word:\n    ${shown}`,
      ];
    }
    if (locations.length < budget)
      return [
        `"${word}" occurs ${locations.length} times and its budget is ${budget}. Lower it: npm run words -- --lower`,
      ];
    return [];
  });
}

/** Returns the budgets lowered to the counts; a word that occurs more often than its budget keeps it. */
export function lowerBudgets(counts: Occurrences, budgets: Budgets): Budgets {
  const lowered = Object.entries(budgets).map(([word, budget]): [string, number] => [
    word,
    Math.min(budget, counts.get(word)?.length ?? 0),
  ]);
  return Object.fromEntries(lowered.filter(([, budget]) => budget > 0));
}
