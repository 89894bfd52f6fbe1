import { describe, expect, test } from 'vitest';
import { awsBody, canary, genericBody, gitBody, githubBody } from '../../../test/connection-bodies.ts';
import { create, list, refusalOf, serveConnections, server } from '../../../test/connections-fixture.ts';

serveConnections();

describe('a new Connection', () => {
  const refused: [string, (workspaceId: string) => Record<string, unknown>, string, string][] = [
    [
      'without a recipe',
      (id) => githubBody(id, { credentialRecipe: undefined }),
      'recipe_unknown',
      '/credentialRecipe',
    ],
    [
      'of an unknown recipe',
      (id) => githubBody(id, { credentialRecipe: { id: 'nope', authMode: 'token' } }),
      'recipe_unknown',
      '/credentialRecipe/id',
    ],
    ['for another provider', (id) => githubBody(id, { provider: 'hashicorp/aws' }), 'recipe_unknown', '/provider'],
    ['for an invalid provider', (id) => genericBody(id, { provider: 'a/b/c/d' }), 'recipe_unknown', '/provider'],
    [
      'in an unknown mode',
      (id) => githubBody(id, { credentialRecipe: { id: 'github', authMode: 'app' } }),
      'auth_mode_unknown',
      '/credentialRecipe/authMode',
    ],
    [
      'in a mode of the prototype',
      (id) => githubBody(id, { credentialRecipe: { id: 'github', authMode: 'constructor' } }),
      'auth_mode_unknown',
      '/credentialRecipe/authMode',
    ],
    ['without material', (id) => githubBody(id, { values: {} }), 'connection_material_missing', '/values'],
    [
      'with an empty value',
      (id) => githubBody(id, { values: { GITHUB_TOKEN: '' } }),
      'connection_material_missing',
      '/values/GITHUB_TOKEN',
    ],
    [
      'with half a group',
      (id) => awsBody(id, { values: { AWS_ACCESS_KEY_ID: 'AK' } }),
      'env_group_incomplete',
      '/values/AWS_SECRET_ACCESS_KEY',
    ],
    [
      'with a name of another mode',
      (id) => githubBody(id, { values: { GITHUB_TOKEN: 'x', AWS_REGION: 'y' } }),
      'env_name_undeclared',
      '/values/AWS_REGION',
    ],
    [
      'that steers the loader',
      (id) => genericBody(id, { values: { LD_PRELOAD: '/x.so' } }),
      'env_name_undeclared',
      '/values/LD_PRELOAD',
    ],
    [
      'that steers Node',
      (id) => genericBody(id, { values: { Node_Options: '-r /x' } }),
      'env_name_undeclared',
      '/values/Node_Options',
    ],
    [
      'that steers the tool',
      (id) => genericBody(id, { values: { TF_CLI_ARGS: '-x' } }),
      'env_name_undeclared',
      '/values/TF_CLI_ARGS',
    ],
    ['with an invalid name', (id) => genericBody(id, { values: { 'A-B': 'x' } }), 'env_name_undeclared', '/values/A-B'],
    [
      'with a secret as a name',
      (id) => genericBody(id, { values: { ghp_0123456789abcdef: 'x', 'ghp_0123456789abcdef-': 'x' } }),
      'env_name_undeclared',
      '/values',
    ],
    [
      'with a file that is not in the recipe',
      (id) => githubBody(id, { files: [{ path: 'a', content: 'x' }] }),
      'file_path_invalid',
      '/files/0/path',
    ],
    [
      'with a file outside of the folder',
      (id) => genericBody(id, { files: [{ path: '../a', content: 'x' }] }),
      'file_path_invalid',
      '/files/0/path',
    ],
    [
      'with an absolute file path',
      (id) => genericBody(id, { files: [{ path: '/etc/passwd', content: 'x' }] }),
      'file_path_invalid',
      '/files/0/path',
    ],
    [
      'with two files at one path',
      (id) =>
        genericBody(id, {
          files: [
            { path: 'a', content: 'x' },
            { path: 'A', content: 'y' },
          ],
        }),
      'file_path_invalid',
      '/files/1/path',
    ],
    [
      'with a file below a file',
      (id) =>
        genericBody(id, {
          files: [
            { path: 'a/b', content: 'x' },
            { path: 'a', content: 'y' },
          ],
        }),
      'file_path_invalid',
      '/files/1/path',
    ],
    [
      'with one name for two',
      (id) => genericBody(id, { files: [{ path: 'a', content: 'x', envName: 'ACME_TOKEN' }] }),
      'env_name_undeclared',
      '/files/0/envName',
    ],
    [
      'without a file where files are required',
      (id) => genericBody(id, { credentialRecipe: { id: 'generic-env', authMode: 'file' } }),
      'connection_material_missing',
      '/files',
    ],
    [
      'named by a secret',
      (id) => githubBody(id, { displayName: 'ghp_0123456789abcdef' }),
      'secret_like_value',
      '/displayName',
    ],
    [
      'named by its own value',
      (id) => githubBody(id, { displayName: `my ${canary('github')}` }),
      'secret_like_value',
      '/displayName',
    ],
    [
      'with a secret as a hint',
      (id) => githubBody(id, { scopeHints: { providerConfig: { owner: ['AKIA0123456789ABCDEF'] } } }),
      'secret_like_value',
      '/scopeHints/providerConfig/owner/0',
    ],
    [
      'with a hint named like a secret',
      (id) => githubBody(id, { scopeHints: { providerSettings: { a: { 'api-key': 1 } } } }),
      'secret_like_value',
      '/scopeHints/providerSettings/a/api-key',
    ],
    [
      'with its value as a hint',
      (id) => githubBody(id, { scopeHints: { moduleInputDefaults: { note: `=${canary('github')}=` } } }),
      'secret_like_value',
      '/scopeHints/moduleInputDefaults/note',
    ],
    ['for Git over SSH', (id) => gitBody(id, { kind: 'source_git_ssh_key' }), 'git_ssh_not_supported', '/kind'],
    [
      'for Git with an SSH key',
      (id) => gitBody(id, { values: { GIT_HTTPS_TOKEN: '-----BEGIN OPENSSH PRIVATE KEY-----' } }),
      'git_ssh_not_supported',
      '/kind',
    ],
    [
      'for Git without a token',
      (id) => gitBody(id, { values: { GIT_HTTPS_USERNAME: 'ada' } }),
      'connection_material_missing',
      '/values/GIT_HTTPS_TOKEN',
    ],
    [
      'for Git with a colon in the name',
      (id) => gitBody(id, { values: { GIT_HTTPS_TOKEN: 'x', GIT_HTTPS_USERNAME: 'a:b' } }),
      'connection_material_missing',
      '/values/GIT_HTTPS_USERNAME',
    ],
    [
      'for Git with a line break',
      (id) => gitBody(id, { values: { GIT_HTTPS_TOKEN: 'x\ny' } }),
      'connection_material_missing',
      '/values/GIT_HTTPS_TOKEN',
    ],
    [
      'for Git with a recipe',
      (id) => gitBody(id, { credentialRecipe: { id: 'github', authMode: 'token' } }),
      'recipe_unknown',
      '/credentialRecipe',
    ],
    [
      'for Git with an invalid test address',
      (id) => gitBody(id, { scopeHints: { providerConfig: { url: 'git@example.com:a' } } }),
      'git_ssh_not_supported',
      '/scopeHints/providerConfig/url',
    ],
  ];
  test.each(refused)('%s is refused with its reason', async (_, body, reason, field) => {
    const before = (await list()).length;
    const answer = await create(body(server.workspaceId));
    expect(refusalOf(answer)).toEqual([400, 'invalid_argument', reason, field]);
    expect(answer.text).not.toContain('canary');
    expect((await list()).length).toBe(before);
  });

  test('names the missing members of a group', async () => {
    const answer = await create(awsBody(server.workspaceId, { values: { AWS_SESSION_TOKEN: 'x' } }));
    const { details } = (answer.json as { error: { details: Record<string, unknown> } }).error;
    expect(details).toMatchObject({ missing: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] });
  });

  test('of a wrong shape or size is refused before its rules are checked', async () => {
    const id = server.workspaceId;
    const bodies: [Record<string, unknown>, string][] = [
      [{ ...githubBody(id), values: undefined }, '/values'],
      [{ ...githubBody(id), secret: 'x' }, '/secret'],
      [genericBody(id, { values: { A: 'x'.repeat(65_537) } }), '/values/A'],
      [genericBody(id, { values: { A: 'ü'.repeat(40_000) } }), '/values/A'],
      [genericBody(id, { values: { A: 'a\u0000b' } }), '/values/A'],
      [genericBody(id, { files: [{ path: 'a', content: 'x', mode: '0666' }] }), '/files/0/mode'],
      [genericBody(id, { files: [{ path: 'a', content: 'x'.repeat(262_145) }] }), '/files/0/content'],
      [githubBody(id, { expiresAt: 'tomorrow' }), '/expiresAt'],
      [githubBody(id, { scopeHints: { moduleInputDefaults: { 'a b': 1 } } }), '/scopeHints/moduleInputDefaults'],
    ];
    for (const [body, field] of bodies)
      expect([field, ...refusalOf(await create(body))]).toEqual([field, 400, 'invalid_request', undefined, field]);
    const large = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`A${at}`, 'x'.repeat(60_000)]));
    expect(refusalOf(await create(genericBody(id, { values: large })))).toEqual([
      400,
      'invalid_request',
      undefined,
      '/values',
    ]);
  });
});
