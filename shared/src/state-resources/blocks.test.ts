import { describe, expect, it } from 'vitest';
import { sensitiveMark } from '../vendor.ts';
import { blocksOf } from './blocks.ts';

const resource = (address: string, attributes: object = {}) =>
  ({ address, mode: 'managed', type: 'aws_instance', attributes }) as Parameters<typeof blocksOf>[0];

describe('the blocks of a resource', () => {
  it('import it by its id, with every special character escaped', () => {
    const id = `a"b\\c\n$\{x}%{y}\u202e`;
    expect(blocksOf(resource('aws_instance.web', { id }))?.import).toBe(
      `import {\n  to = aws_instance.web\n  id = "a\\"b\\\\c\\n$$\{x}%%{y}\\u202e"\n}`,
    );
  });

  it('leave a placeholder for an id that is sensitive, unknown or empty', () => {
    for (const attributes of [{}, { id: sensitiveMark }, { id: '' }])
      expect(blocksOf(resource('aws_instance.web', attributes))?.import).toContain(
        'id = "<the id of this aws_instance>"',
      );
  });

  it('move it inside its module, and keep its key', () => {
    expect(blocksOf(resource('module.net["a.b"].aws_instance.web["x.y]"]'))?.moved).toBe(
      'moved {\n  from = module.net["a.b"].aws_instance.web["x.y]"]\n  to   = module.net["a.b"].aws_instance.NEW_NAME["x.y]"]\n}',
    );
    expect(blocksOf(resource('aws_instance.web[3]'))?.moved).toContain('to   = aws_instance.NEW_NAME[3]');
  });

  it('remove the whole resource without destroying it', () => {
    expect(blocksOf(resource('module.net["a\\"]"].aws_instance.web[0]'))?.removed).toBe(
      'removed {\n  from = module.net.aws_instance.web\n\n  lifecycle {\n    destroy = false\n  }\n}',
    );
  });

  it('do not exist for a data source', () => {
    expect(blocksOf({ ...resource('data.aws_ami.x'), mode: 'data' })).toBeUndefined();
  });
});
