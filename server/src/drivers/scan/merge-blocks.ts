import { attribute, type Declared, type LocatedBlock, type Problem } from './blocks.ts';

/** Returns the key of a block among the blocks of its type: its labels and, for a provider, its alias. */
function keyOf(type: string, { labels, body }: LocatedBlock): string {
  const alias = type === 'provider' ? (attribute(body, 'alias') ?? null) : null;
  return JSON.stringify([...labels, alias]);
}

/** Reports whether an override may be the first block. A provider without alias exists even when it is not declared. */
const mayComeFirst = (type: string, { body }: LocatedBlock): boolean =>
  type === 'provider' && (attribute(body, 'alias') ?? null) === null;

const nameOf = (type: string, { labels }: LocatedBlock): string => [type, ...labels].join(' ');

/**
 * Merges override blocks into the block they override: an attribute that they set is replaced, or all nested blocks of
 * a type. Blocks must come in merge order. The tool rejects a second primary block and an override without a target.
 */
export function mergeBlocks(type: string, blocks: readonly LocatedBlock[], problems: Problem[]): Declared[] {
  const merged = new Map<string, Declared>();
  for (const block of blocks) {
    const key = keyOf(type, block);
    const base = merged.get(key);
    if (base && !block.override) {
      problems.push({ path: block.file, message: `The block ${nameOf(type, block)} is declared twice. Remove one.` });
    } else if (base) {
      merged.set(key, { ...base, body: { ...base.body, ...block.body } });
    } else if (block.override && !mayComeFirst(type, block)) {
      problems.push({
        path: block.file,
        message: `The block ${nameOf(type, block)} overrides nothing. Declare it first.`,
      });
    } else {
      merged.set(key, { labels: block.labels, body: block.body, file: block.file });
    }
  }
  return [...merged.values()];
}
