import { expect, it } from 'vitest';
import type { StateResource } from '#shared/state-resources/contract';
import { blocksOf, withoutKeys } from './blocks.ts';

const resource: StateResource = {
  address: 'module.net["a.b]"].aws_vpc.main[0]',
  moduleAddress: 'module.net["a.b]"]',
  mode: 'managed',
  type: 'aws_vpc',
  name: 'main',
  index: 0,
  providerName: 'registry.opentofu.org/hashicorp/aws',
};

it('writes blocks that name the resource, with its id where that is shown', () => {
  const blocks = blocksOf({ ...resource, attributes: { id: 'vpc-1' } });
  expect(blocks.import).toBe('import {\n  to = module.net["a.b]"].aws_vpc.main[0]\n  id = "vpc-1"\n}');
  expect(blocks.moved).toContain('  to   = module.net["a.b]"].aws_vpc.NEW_NAME\n');
  expect(blocks.removed).toContain('from = module.net.aws_vpc.main\n');
  for (const attributes of [undefined, {}, { id: { $svc: 'sensitive' } }])
    expect(blocksOf({ ...resource, ...(attributes && { attributes }) }).import).not.toContain('sensitive');
});

it('drops keys of instances only', () => {
  expect(withoutKeys('a.b["x\\"]"].c[12].d')).toBe('a.b.c.d');
});
