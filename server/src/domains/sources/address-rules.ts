import { type AppError, invalidArgument } from '#server/kernel/errors';
import { isRelativePath } from '#shared/relative-path';
import { isSecretLike } from '#shared/secret-like';
import { isGitRef, parseGitUrl } from '#shared/sources/git-address';
import type { Lane } from './sync-requests.ts';

export type AddressRulePorts = {
  gitRules: { allowLoopback: boolean; allowLocal: boolean };
  /** 404 `connection_not_found`, 409 `connection_revoked`; throws what `otherKind` gives for one that is not for Git. */
  requireGitConnection: (connectionId: string, workspaceId: string, otherKind: () => AppError) => void;
};

/** What may stand in the address of a Source. Each rule throws 400 `invalid_argument` with the field it is about. */
export function createAddressRules({ gitRules, requireGitConnection }: AddressRulePorts) {
  /** The URL in its canonical form. Throws 400 `invalid_argument` by the rules of Git URLs. */
  function requireUrl(text: string, field: string): string {
    const parsed = parseGitUrl(text, gitRules);
    if (!parsed.ok) throw invalidArgument(parsed.reason, parsed.message, { field });
    if (isSecretLike(text))
      throw invalidArgument('secret_like_value', 'The Git URL holds something that looks like a credential.', {
        field,
      });
    return parsed.url;
  }

  /** A Connection that reads private repositories of this Workspace. */
  function requireAuth(connectionId: string | null | undefined, workspaceId: string, field: string): void {
    if (connectionId === undefined || connectionId === null) return;
    requireGitConnection(connectionId, workspaceId, () =>
      invalidArgument(
        'connection_kind_mismatch',
        'This Connection is for a provider. Choose one that holds a token for Git repositories.',
        { field },
      ),
    );
  }

  function requireLane({ ref, path }: Lane, fields: { ref: string; path: string }): Lane {
    if (!isGitRef(ref))
      throw invalidArgument('ref_invalid', 'The ref is not a branch, a tag or a commit id that Git accepts.', {
        field: fields.ref,
      });
    if (!isRelativePath(path)) {
      throw invalidArgument(
        'path_invalid',
        'The path takes "." or a relative folder such as modules/network, without "..".',
        { field: fields.path },
      );
    }
    return { ref, path };
  }

  /** As Sources are stored; what is no address is the address of none. */
  function canonical(text: string): string {
    const parsed = parseGitUrl(text, gitRules);
    return parsed.ok ? parsed.url : text;
  }

  return { requireUrl, requireAuth, requireLane, canonical };
}
