import { type Git, GitError, type GitTag } from '#server/drivers/git/index';
import { failedPrecondition } from '#server/kernel/errors';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { listingLimits } from '#shared/limits';
import type { sourcesApi } from '#shared/sources/api';
import type { Reader } from './address-rules.ts';
import type { SourcesService } from './service.ts';

/** A tag and its current commit. A client that stores the commit is not affected when the tag moves. */
type StableVersion = { tag: string; commit: string };
export type StableVersions = ReturnType<typeof createStableVersions>;

type Deps = { git: Pick<Git, 'listTags'>; sources: Pick<SourcesService, 'requireReadable'> };

/** Finds the highest stable version of repositories by their tags alone. Nothing is stored. */
export function createStableVersions({ git, sources }: Deps) {
  async function listTags(url: string): Promise<GitTag[]> {
    try {
      return await git.listTags({ url }, AbortSignal.timeout(listingLimits.seconds * 1_000));
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      throw failedPrecondition(
        'ref_listing_failed',
        `The tags of the repository could not be listed. ${error.message}`,
        { diagnosticCode: error.code },
      );
    }
  }

  return {
    /** Resolves an address. Throws 400 and 403 for the URL, 409 for unusable tags. */
    async resolve(
      { url, ...rest }: BodyOf<typeof sourcesApi.resolveStableVersion>,
      reader: Reader,
    ): Promise<StableVersion> {
      nothingLeft(rest);
      return pickStable(await listTags(sources.requireReadable(url, reader, '/url')));
    },
  };
}

/** Exactly these two forms: no pre-release, no build metadata, no leading zero. */
const stableShape = /^(v?)(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
type Parsed = { tag: GitTag; version: readonly string[] };

/** Digits without leading zeros, of any length. */
const compareNumbers = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : Number(a > b));
const compareVersions = (a: readonly string[], b: readonly string[]): number =>
  a.reduce((order, part, index) => order || compareNumbers(part, b[index] ?? ''), 0);

/**
 * Returns the highest stable version. When a version exists in both forms, the meaning of every tag is ambiguous:
 * throws 409.
 */
export function pickStable(tags: readonly GitTag[]): StableVersion {
  const candidates = tags.flatMap((tag): Parsed[] => {
    const [, , ...version] = stableShape.exec(tag.name) ?? [];
    return version.length === 3 ? [{ tag, version }] : [];
  });
  if (new Set(candidates.map(({ version }) => version.join('.'))).size < candidates.length)
    throw failedPrecondition(
      'stable_tag_ambiguous',
      'The repository has a version both as vX.Y.Z and as X.Y.Z, so it is not clear which one is meant. Name a ref.',
    );
  const [first, ...others] = candidates;
  if (!first)
    throw failedPrecondition(
      'stable_tag_missing',
      'The repository has no tag of the form vX.Y.Z or X.Y.Z. Name a ref, or tag a stable version.',
    );
  const highest = others.reduce((best, one) => (compareVersions(one.version, best.version) > 0 ? one : best), first);
  return { tag: highest.tag.name, commit: highest.tag.commit };
}
