import { describe, expect, test } from 'vitest';
import { awsBody, genericBody, gitBody, githubBody } from '../../../test/connection-bodies.ts';
import { make, serveConnections, server } from '../../../test/connections-fixture.ts';

serveConnections();

describe('a new Connection', () => {
  test('is answered with its names only', async () => {
    const connection = await make(
      awsBody(server.workspaceId, {
        displayName: 'Production',
        scopeHints: { providerConfig: { region: 'eu-west-1' } },
      }),
    );
    expect(connection).toEqual({
      id: expect.stringMatching(/^conn_[0-9A-Za-z]{8,64}$/),
      workspaceId: server.workspaceId,
      provider: 'registry.opentofu.org/hashicorp/aws',
      providerSource: 'registry.opentofu.org/hashicorp/aws',
      scope: 'workspace',
      status: 'pending',
      displayName: 'Production',
      materialization: 'secret',
      credentialRecipe: {
        id: 'aws',
        authMode: 'static',
        envNames: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
        requiredEnvGroups: [['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']],
      },
      envNames: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
      scopeHints: { providerConfig: { region: 'eu-west-1' } },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(events[0]).toMatchObject({
      action: 'connection.created',
      targetType: 'connection',
      targetId: connection.id,
      metadata: { provider: 'hashicorp/aws', recipeId: 'aws', authMode: 'static' },
    });
  });

  test('of the recipe for any provider keeps names and files that the person declares', async () => {
    const connection = await make(
      genericBody(server.workspaceId, {
        files: [{ path: 'acme/ca.pem', content: 'x'.repeat(9), envName: 'ACME_CA_FILE', mode: '0400' }],
      }),
    );
    expect(connection).toMatchObject({
      envNames: ['ACME_TOKEN'],
      fileEnvNames: ['ACME_CA_FILE'],
      credentialRecipe: { id: 'generic-env', authMode: 'env', declaredEnv: ['ACME_TOKEN', 'ACME_CA_FILE'] },
    });
  });

  test('takes the name and mode of a file from its recipe', async () => {
    const connection = await make({
      workspaceId: server.workspaceId,
      provider: 'google',
      credentialRecipe: { id: 'google', authMode: 'service_account' },
      values: {},
      files: [{ path: 'google/key.json', content: '{}' }],
    });
    expect(connection).toMatchObject({ envNames: [], fileEnvNames: ['GOOGLE_APPLICATION_CREDENTIALS'] });
  });

  test('for Git has neither recipe nor provider', async () => {
    const connection = await make(gitBody(server.workspaceId, { provider: 'whatever' }));
    expect(connection).toMatchObject({
      provider: 'git',
      providerSource: 'git',
      kind: 'source_git_https_token',
      envNames: ['GIT_HTTPS_TOKEN'],
    });
    expect(connection).not.toHaveProperty('credentialRecipe');
  });

  test('is created once under one Idempotency-Key, and the repeated answer contains no value either', async () => {
    const key = { 'idempotency-key': 'connection' };
    const request = () => server.request('POST', '/api/v1/connections', githubBody(server.workspaceId), key);
    const [first, second] = [await request(), await request()];
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.json).toEqual(first.json);
  });
});
