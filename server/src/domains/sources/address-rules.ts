import { AppError, invalidArgument } from '#server/kernel/errors';
import { isRelativePath } from '#shared/relative-path';
import { isSecretLike } from '#shared/secret-like';
import { copyIdOf } from '#shared/sources/copy-address';
import { isGitRef, parseGitUrl } from '#shared/sources/git-address';
import type { Lane } from './sync-requests.ts';

export type AddressRulePorts = {
  gitRules: { allowLoopback: boolean; allowLocal: boolean };
  /**
   * Reports whether an account may name a repository on the server's disk, which is read with the server's permissions.
   */
  mayReadDisk: (actorId: string, url: string) => boolean;
  /** Reports whether a Workspace has a Source of this URL. All its members may then keep using it. */
  isKnown: (workspaceId: string, url: string) => boolean;
  /**
   * Throws 404 `connection_not_found`, 409 `connection_revoked`, and the error of `otherKind` for a Connection that is
   * not for Git.
   */
  requireGitConnection: (connectionId: string, workspaceId: string, otherKind: () => AppError) => void;
};

export type AddressRules = ReturnType<typeof createAddressRules>;

/** Fields of a Source that name its default lane. */
export const defaultLaneFields = { ref: '/defaultRef', path: '/defaultPath' };

/** Account that names a repository, and its Workspace. */
export type Reader = { actorId: string; workspaceId?: string };

/** Validates the address of a Source. Each rule throws 400 `invalid_argument` with the field it is about. */
export function createAddressRules({ gitRules, mayReadDisk, isKnown, requireGitConnection }: AddressRulePorts) {
  /** Returns the URL in its canonical form. Throws 400 `invalid_argument` by the rules of Git URLs. */
  function requireUrl(text: string, field: string): string {
    const parsed = parseGitUrl(text, gitRules);
    if (!parsed.ok) throw invalidArgument(parsed.reason, parsed.message, { field });
    if (isSecretLike(text))
      throw invalidArgument(
        'secret_like_value',
        'The Git URL contains something that looks like a credential. Remove it, and use a Connection.',
        {
          field,
        },
      );
    return parsed.url;
  }

  /** As `requireNew`, and accepts the copies of the Workspace, whose Sources the server created. */
  function requireReadable(text: string, reader: Reader, field: string): string {
    const { workspaceId } = reader;
    const isOwnCopy = copyIdOf(text) !== undefined && workspaceId !== undefined && isKnown(workspaceId, text);
    return isOwnCopy ? text : requireNew(text, reader, field);
  }

  /** As `requireUrl`; throws 403 `forbidden` for a repository on the server's disk when the reader may not name one. */
  function requireNew(text: string, reader: Reader, field: string): string {
    const url = requireUrl(text, field);
    const { actorId, workspaceId } = reader;
    if (!url.startsWith('file:') || mayReadDisk(actorId, url)) return url;
    if (workspaceId !== undefined && isKnown(workspaceId, url)) return url;
    throw new AppError(
      'forbidden',
      'Only the owner of this installation may name a repository on the disk of the server. Use an https:// address, or ask the owner to add the Source.',
      { details: { field } },
    );
  }

  /** Checks that a Connection can read private repositories of this Workspace. */
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
      throw invalidArgument('ref_invalid', 'The ref must be a branch, a tag, HEAD or a full commit id.', {
        field: fields.ref,
      });
    if (!isRelativePath(path)) {
      throw invalidArgument(
        'path_invalid',
        'The path must be "." or a relative folder such as modules/network, without "..".',
        { field: fields.path },
      );
    }
    return { ref, path };
  }

  /** Returns the form in which Sources are stored; an address that no one may name is returned unchanged. */
  function canonical(text: string): string {
    const parsed = parseGitUrl(text, gitRules);
    return parsed.ok ? parsed.url : text;
  }

  return { requireUrl, requireReadable, requireNew, requireAuth, requireLane, canonical };
}
