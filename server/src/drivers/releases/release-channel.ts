import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { repositoryRoot } from '#server/kernel/entry';

/** Source of later releases of a package. */
export type ReleaseChannel = {
  /** Address of a folder with the record and the packages, with a slash at its end. */
  url: string;
  /** The 32 bytes of the Ed25519 key of the releases, in base64url. */
  publicKey: string;
};

const shape = z.object({
  releases: z
    .object({ url: z.url({ protocol: /^https?$/ }).endsWith('/'), publicKey: z.string().regex(/^[\w-]{43}$/) })
    .optional(),
});

/**
 * Returns the channel from the package file of the product; undefined in a checkout and in a package that was made
 * without a release key.
 */
export function readReleaseChannel(folder = repositoryRoot): ReleaseChannel | undefined {
  return shape.parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))).releases;
}
