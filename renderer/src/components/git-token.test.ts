import { describe, expect, it } from 'vitest';
import { ApiError } from '#shared/kernel/client';
import { emptyDraft, findTokenProblems, refusedField } from './git-token.ts';

const now = Date.parse('2026-05-10T12:00:00');
const problemsOf = (part: Partial<typeof emptyDraft>) =>
  findTokenProblems({ ...emptyDraft, token: 'good-token', ...part }, now);

describe('the form of a token', () => {
  it.each([
    ['nothing at all', { token: ' ' }, { token: 'token.missing' }],
    ['a token of two lines', { token: 'one\ntwo' }, { token: 'token.wrong' }],
    ['a user name with a colon', { userName: 'a:b' }, { userName: 'token.user.wrong' }],
    ['an end that is over', { endsOn: '2026-05-09' }, { endsOn: 'token.ends.wrong' }],
    ['a name that is too long', { name: 'n'.repeat(121) }, { name: 'token.name.wrong' }],
  ])('refuses %s', (_what, part, problems) => {
    expect(problemsOf(part)).toEqual(problems);
  });

  it('takes a token with the line end of its paste, and an end on this very day', () => {
    expect(problemsOf({ token: 'good-token\n', userName: ' me ', endsOn: '2026-05-10' })).toEqual({});
  });
});

describe('a refusal', () => {
  const refusal = (details: Record<string, unknown>) =>
    refusedField(new ApiError(400, { code: 'invalid_argument', message: 'No.', details }));

  it('stands beside the field it names', () => {
    expect(refusal({ reason: 'connection_material_missing', field: '/values/GIT_HTTPS_TOKEN' })).toEqual({
      field: 'token',
      text: 'refusal.connection_material_missing',
    });
    expect(refusal({ reason: 'git_ssh_not_supported', field: '/scopeHints/providerConfig/url' })?.field).toBe('url');
  });

  it('belongs to no field when it names none of the form', () => {
    expect(refusal({ reason: 'recipe_unknown', field: '/credentialRecipe' })).toBeUndefined();
    expect(refusedField(new Error('lost'))).toBeUndefined();
  });
});
