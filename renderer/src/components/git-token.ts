import type { Connection } from '#shared/connections/contract';
import { gitTokenKind, gitTokenName, gitUserName } from '#shared/connections/contract';
import { ApiError, api } from '../api/client.ts';
import { useIntent } from '../api/intent.ts';
import { invalidateRecord } from '../api/queries.ts';
import { useWorkspaceId } from '../api/session.tsx';
import { findText, type TextId } from '../i18n/text.ts';
import { endOfDay } from '../ui/end-of-day.ts';

/** Content of the form. It is held in memory only and never written to browser storage. */
export type TokenDraft = { token: string; userName: string; name: string; endsOn: string; url: string };
export type TokenField = keyof TokenDraft;
type TokenProblems = Partial<Record<TokenField, TextId>>;

export const emptyDraft: TokenDraft = { token: '', userName: '', name: '', endsOn: '', url: '' };

const plainToken = /^[\x21-\x7e]+$/;
/** User name and token are sent as one text, in which the first colon ends the user name. */
const plainName = /^[\x21-\x39\x3b-\x7e]{1,256}$/;

/** Returns the problems that prevent the draft from being sent. */
export function findTokenProblems(draft: TokenDraft, now: number): TokenProblems {
  const problems: TokenProblems = {};
  const token = draft.token.trim();
  if (token === '') problems.token = 'token.missing';
  else if (!plainToken.test(token)) problems.token = 'token.wrong';
  if (draft.userName.trim() !== '' && !plainName.test(draft.userName.trim())) problems.userName = 'token.user.wrong';
  if (draft.name.trim().length > 120) problems.name = 'token.name.wrong';
  const end = draft.endsOn === '' ? undefined : endOfDay(draft.endsOn);
  if (draft.endsOn !== '' && (!end || end.getTime() <= now)) problems.endsOn = 'token.ends.wrong';
  return problems;
}

const fieldOf: Readonly<Record<string, TokenField>> = {
  [`/values/${gitTokenName}`]: 'token',
  [`/values/${gitUserName}`]: 'userName',
  '/displayName': 'name',
  '/expiresAt': 'endsOn',
  '/scopeHints/providerConfig/url': 'url',
};

/** Returns the problem of the field that a refusal names; undefined when it names none. */
export function refusedField(error: unknown): { field: TokenField; text: TextId } | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const field = fieldOf[String(error.details['field'])];
  const text = findText(`refusal.${String(error.details['reason'] ?? error.code)}`);
  return field && text ? { field, text } : undefined;
}

/** Saves a token as a Connection of the Workspace. */
export function useNewToken() {
  const workspaceId = useWorkspaceId();
  return useIntent(async (keyOf, draft: TokenDraft): Promise<Connection> => {
    const userName = draft.userName.trim();
    const name = draft.name.trim();
    const url = draft.url.trim();
    const end = draft.endsOn === '' ? undefined : endOfDay(draft.endsOn);
    const { connection } = (
      await api.createConnection(
        {
          body: {
            workspaceId,
            provider: 'git',
            kind: gitTokenKind,
            values: { [gitTokenName]: draft.token.trim(), ...(userName !== '' && { [gitUserName]: userName }) },
            ...(name !== '' && { displayName: name }),
            ...(url !== '' && { scopeHints: { providerConfig: { url } } }),
            ...(end && { expiresAt: end.toISOString() }),
          },
        },
        keyOf('create'),
      )
    ).body;
    invalidateRecord({ kind: 'connection', id: connection.id });
    return connection;
  });
}
