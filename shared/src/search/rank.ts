/** Ranks of a match, best first. */
export const ranks = { exact: 0, prefix: 1, wordPrefix: 2, part: 3 } as const;
export type Rank = (typeof ranks)[keyof typeof ranks];

/** Shortest text that is searched in ids: a shorter one occurs in many ids by chance. */
const shortestIdPart = 6;

/** Texts are compared without case, and full-width letters as their ordinary ones. */
const normalize = (text: string): string => text.normalize('NFKC').toLowerCase();

const isWordCharacter = /[\p{L}\p{N}]/u;

function hasWordPrefix(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !isWordCharacter.test(text[at - 1] ?? '')) return true;
  return false;
}

type Matcher = {
  /** Returns the rank of a name, or undefined when it does not match. */
  rankName: (name: string) => Rank | undefined;
  /** Returns the rank of an id, which is matched exactly or by a part of at least six characters. */
  rankId: (id: string) => Rank | undefined;
};

/** Returns the matcher of a query. Each of its words has to occur in the name. */
export function createMatcher(query: string): Matcher {
  const phrase = normalize(query).trim();
  const terms = phrase.split(/\s+/u);
  return {
    rankName(name) {
      const text = normalize(name);
      if (phrase === '') return undefined;
      if (text === phrase) return ranks.exact;
      if (text.startsWith(phrase)) return ranks.prefix;
      if (terms.every((word) => hasWordPrefix(text, word))) return ranks.wordPrefix;
      return terms.every((word) => text.includes(word)) ? ranks.part : undefined;
    },
    rankId(id) {
      const text = normalize(id);
      if (text === phrase) return ranks.exact;
      return phrase.length >= shortestIdPart && text.includes(phrase) ? ranks.part : undefined;
    },
  };
}

/** Returns the better of two ranks. */
export const bestRank = (...all: readonly (Rank | undefined)[]): Rank | undefined =>
  all.reduce((best, one) => (best === undefined || (one !== undefined && one < best) ? one : best), undefined);
