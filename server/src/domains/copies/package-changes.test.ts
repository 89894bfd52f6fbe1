import { describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { copyUrl } from '#shared/sources/copy-address';
import { createPackageComparison } from './package-changes.ts';
import type { RevisionRow } from './store.ts';

const copyId = newId('copy');
const url = copyUrl(copyId);
const revisionOf = (digest: string) => ({ review: { packages: [{ path: 'p', digest }] } }) as unknown as RevisionRow;
const revisions: Record<string, RevisionRow> = { a: revisionOf('one'), b: revisionOf('one'), c: revisionOf('two') };
const hasChanged = createPackageComparison({
  findRevisionOfCommit: (id, commit) => (id === copyId ? revisions[commit] : undefined),
});
const at = (resolvedCommit: string, from = url) => ({ url: from, resolvedCommit });

describe('the packages of two snapshots of a copy', () => {
  it('differ by their digests', () => {
    expect(hasChanged(at('a'), at('b'))).toBe(false);
    expect(hasChanged(at('a'), at('c'))).toBe(true);
  });

  it('count as changed when one of them is unknown', () => {
    expect(hasChanged(undefined, at('a'))).toBe(true);
    expect(hasChanged(at('a'), at('unknown'))).toBe(true);
  });

  it('do not exist for other Sources', () => {
    const other = 'https://example.com/x';
    expect(hasChanged(at('a', other), at('c', other))).toBe(false);
  });
});
