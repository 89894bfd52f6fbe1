import { expect, it } from 'vitest';
import { shownAddress } from './remote-address.ts';

it.each([
  ['terraform-aws-modules/vpc/aws', 'terraform-aws-modules/vpc/aws'],
  ['git::https://example.com/x.git//p?ref=abc', 'git::https://example.com/x.git//p'],
  ['git::https://me:pass@example.com/x.git?token=abc', 'git::https://example.com/x.git'],
  ['git@example.com:acme/x.git', 'git@example.com:acme/x.git'],
  ['https://example.com/x.zip#part', 'https://example.com/x.zip'],
  [`https://example.com/ghp_${'a1'.repeat(18)}/x.zip`, undefined],
  ['a\nb', 'ab'],
  ['', undefined],
  ['x'.repeat(130), `${'x'.repeat(120)}…`],
])('shows the address %j without what may be secret', (source, shown) => {
  expect(shownAddress(source)).toBe(shown);
});
