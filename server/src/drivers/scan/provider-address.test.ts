import { expect, it } from 'vitest';
import { canonicalProvider, impliedProvider, isBuiltIn, localNameOfType } from './provider-address.ts';

it.each<[string, string | undefined]>([
  ['aws', 'registry.opentofu.org/hashicorp/aws'],
  ['HashiCorp/AWS', 'registry.opentofu.org/hashicorp/aws'],
  ['registry.terraform.io/hashicorp/aws', 'registry.terraform.io/hashicorp/aws'],
  ['Example.com:443/acme/cloud', 'example.com/acme/cloud'],
  ['example.com:8443/acme/cloud', 'example.com:8443/acme/cloud'],
  ['terraform.io/builtin/terraform', 'terraform.io/builtin/terraform'],
  ['a/b/c/d', undefined],
  ['', undefined],
  ['acme/', undefined],
  ['acme/a--b', undefined],
  ['acme/-a', undefined],
  ['acme/a b', undefined],
  ['git@example.com/acme/a', undefined],
])('the address of "%s" is %s', (source, address) => {
  expect(canonicalProvider(source, 'tofu')).toBe(address);
});

it('a local name implies a provider of the running tool, or a built-in one', () => {
  expect(impliedProvider('aws', 'terraform')).toBe('registry.terraform.io/hashicorp/aws');
  expect(isBuiltIn(impliedProvider('terraform', 'tofu') ?? '')).toBe(true);
});

it('a resource type implies the name before its first underscore', () => {
  expect(['AWS_s3_bucket', 'terraform_data', 'http'].map(localNameOfType)).toEqual(['aws', 'terraform', 'http']);
});
