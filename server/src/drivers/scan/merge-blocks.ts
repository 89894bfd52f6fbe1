import { attribute, type Declared, type LocatedBlock, type Problem } from './blocks.ts';

/** What names a block among the blocks of its type: its labels, for a provider its alias too. */
function keyOf(type: string, { labels, body }: LocatedBlock): string {
  const alias = type === 'provider' ? (attribute(body, 'alias') ?? null) : null;
  return JSON.stringify([...labels, alias]);
}

/** A provider without alias exists even when nothing declares it, so an override may be its first block. */
const mayComeFirst = (type: string, { body }: LocatedBlock): boolean =>
  type === 'provider' && (attribute(body, 'alias') ?? null) === null;

const nameOf = (type: string, { labels }: LocatedBlock): string => [type, ...labels].join(' ');

/**
 * Folds override blocks into the block they override: what they set replaces the attribute, or all nested blocks of
 * the type. Blocks must come in merge order. The tool refuses a second primary block and an override of nothing.
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
