import { bucketKeys } from './bucket-signature.ts';

/** Requests for Connections in tests; each secret is a text that a search finds wherever it leaks. */
export const canary = (name: string): string => `canary-${name}-7f3a9c51e2`;

export const githubBody = (workspaceId: string, more: Record<string, unknown> = {}) => ({
  workspaceId,
  provider: 'integrations/github',
  credentialRecipe: { id: 'github', authMode: 'token' },
  values: { GITHUB_TOKEN: canary('github') },
  ...more,
});

export const awsBody = (workspaceId: string, more: Record<string, unknown> = {}) => ({
  workspaceId,
  provider: 'registry.opentofu.org/hashicorp/aws',
  credentialRecipe: { id: 'aws', authMode: 'static' },
  values: { AWS_ACCESS_KEY_ID: canary('id'), AWS_SECRET_ACCESS_KEY: canary('key') },
  ...more,
});

export const genericBody = (workspaceId: string, more: Record<string, unknown> = {}) => ({
  workspaceId,
  provider: 'acme/cloud',
  credentialRecipe: { id: 'generic-env', authMode: 'env' },
  values: { ACME_TOKEN: canary('acme') },
  ...more,
});

export const storageBody = (
  workspaceId: string,
  { endpoint, region, bucket }: { endpoint: string; region: string; bucket: string },
  more: Record<string, unknown> = {},
) => ({
  workspaceId,
  provider: 's3',
  kind: 'object_storage' as const,
  values: {
    AWS_ACCESS_KEY_ID: bucketKeys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: bucketKeys.secretAccessKey,
  },
  scopeHints: { providerConfig: { endpoint, region, bucket, prefix: 'ground-control/test' } },
  ...more,
});

export const gitBody = (workspaceId: string, more: Record<string, unknown> = {}) => ({
  workspaceId,
  provider: 'git',
  kind: 'source_git_https_token' as const,
  values: { GIT_HTTPS_TOKEN: canary('git') },
  ...more,
});
