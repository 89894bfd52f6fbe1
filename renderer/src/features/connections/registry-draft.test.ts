import { describe, expect, it } from 'vitest';
import { emptyRegistryDraft, findRegistryProblems, registryBody } from './registry-draft.ts';

const draft = { ...emptyRegistryDraft, host: ' App.Terraform.io ', token: ' secret-token ' };

describe('the form for a module registry', () => {
  it('needs a host and a token', () => {
    expect(Object.keys(findRegistryProblems(emptyRegistryDraft))).toEqual(['host', 'token']);
    expect(findRegistryProblems(draft)).toEqual({});
  });

  it('refuses an address in place of the host, and a module with a version', () => {
    expect(findRegistryProblems({ ...draft, host: 'https://app.terraform.io' })).toHaveProperty('host');
    expect(findRegistryProblems({ ...draft, module: 'example/network/aws/1.0.0' })).toHaveProperty('module');
  });

  it('sends trimmed values, and the module only when there is one', () => {
    expect(registryBody(draft, 'ws_1')).toEqual({
      workspaceId: 'ws_1',
      provider: 'module-registry',
      kind: 'module_registry_token',
      values: { MODULE_REGISTRY_TOKEN: 'secret-token' },
      scopeHints: { providerConfig: { host: 'app.terraform.io' } },
    });
    const named = registryBody({ ...draft, module: 'example/network/aws', name: 'Modules' }, 'ws_1');
    expect(named).toMatchObject({
      displayName: 'Modules',
      scopeHints: { providerConfig: { module: 'example/network/aws' } },
    });
  });
});
