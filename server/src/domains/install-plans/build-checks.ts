import { invalidArgument } from '#server/kernel/errors';
import type { SourceBuild } from '#shared/install-configs/source-build';
import { isSecretLike } from '#shared/secret-like';

/** Throws 400 `secret_like_value` for an argument that looks like a credential, because build arguments are public. */
export function refuseSecretArguments({ commands }: SourceBuild, field: string): void {
  for (const [index, { argv }] of commands.entries()) {
    const position = argv.findIndex(isSecretLike);
    if (position >= 0)
      throw invalidArgument(
        'secret_like_value',
        'An argument of the build looks like a credential. Build arguments are public and builds receive no credentials. Remove the argument.',
        { field: `${field}/commands/${index}/argv/${position}` },
      );
  }
}
