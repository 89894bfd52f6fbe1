import { expect, it } from 'vitest';
import { providerText } from './provider-text.ts';

it('names a provider with the versions that the module accepts', () => {
  const source = 'registry.opentofu.org/hashicorp/aws';
  expect(providerText({ source, version: '~> 5.0, >= 5.2' })).toBe('hashicorp/aws ~> 5.0, >= 5.2');
  expect(providerText({ source })).toBe('hashicorp/aws');
});
