import type { Pattern } from './encodings.ts';

/** Number of bytes of a pattern in the automaton; the rest is compared afterwards. A longer prefix costs memory and rarely saves a comparison. */
export const prefixBytes = 8;

/** An Aho-Corasick automaton as one flat table: `next[state * classes + classOf[byte]]`. */
export type Automaton = {
  readonly classOf: Uint8Array;
  readonly classes: number;
  readonly next: Int32Array;
  /** Number of pattern bytes that each state has matched. */
  readonly depth: Uint8Array;
  /** Patterns that are complete, or complete up to their prefix, in each state; undefined for most. */
  readonly hits: readonly (readonly Pattern[] | undefined)[];
};

export function buildAutomaton(patterns: readonly Pattern[]): Automaton {
  const { classOf, classes } = classesOf(patterns);
  const size = patterns.reduce((sum, pattern) => sum + Math.min(pattern.bytes.length, prefixBytes), 1);
  const trie = {
    next: new Int32Array(size * classes),
    depth: new Uint8Array(size),
    hits: new Array<Pattern[] | undefined>(size),
  };
  let states = 1;
  for (const pattern of patterns) {
    let state = 0;
    for (const byte of pattern.bytes.subarray(0, prefixBytes)) {
      const cell = state * classes + (classOf[byte] as number);
      if (trie.next[cell] === 0) {
        trie.depth[states] = (trie.depth[state] as number) + 1;
        trie.next[cell] = states;
        states += 1;
      }
      state = trie.next[cell] as number;
    }
    const at = trie.hits[state];
    if (at === undefined) trie.hits[state] = [pattern];
    else at.push(pattern);
  }
  linkFailures(trie, { states, classes });
  return {
    classOf,
    classes,
    next: trie.next.slice(0, states * classes),
    depth: trie.depth.slice(0, states),
    hits: trie.hits.slice(0, states),
  };
}

type Trie = { next: Int32Array; depth: Uint8Array; hits: (Pattern[] | undefined)[] };

/** Maps bytes to classes. Bytes that occur in no pattern share class 0, which keeps the table narrow. */
function classesOf(patterns: readonly Pattern[]): { classOf: Uint8Array; classes: number } {
  const classOf = new Uint8Array(256);
  let classes = 1;
  for (const pattern of patterns) {
    for (const byte of pattern.bytes.subarray(0, prefixBytes)) {
      if (classOf[byte] !== 0 || classes > 255) continue;
      classOf[byte] = classes;
      classes += 1;
    }
  }
  return { classOf, classes };
}

/** Links failure states breadth first, so that each is complete before it is needed. */
function linkFailures(trie: Trie, { states, classes }: { states: number; classes: number }): void {
  const failure = new Int32Array(states);
  const queue = new Int32Array(states);
  let head = 0;
  let tail = 0;
  for (let symbol = 0; symbol < classes; symbol += 1) {
    const state = trie.next[symbol] as number;
    if (state !== 0) queue[tail++] = state;
  }
  while (head < tail) {
    const state = queue[head++] as number;
    const fallback = failure[state] as number;
    const inherited = trie.hits[fallback];
    if (inherited !== undefined) trie.hits[state] = [...(trie.hits[state] ?? []), ...inherited];
    for (let symbol = 0; symbol < classes; symbol += 1) {
      const cell = state * classes + symbol;
      const child = trie.next[cell] as number;
      const viaFallback = trie.next[fallback * classes + symbol] as number;
      if (child === 0) trie.next[cell] = viaFallback;
      else {
        failure[child] = viaFallback;
        queue[tail++] = child;
      }
    }
  }
}
