import { describe, expect, it } from 'vitest';
import { codeRangeOf } from './diagnostic-range.ts';

const range = (filename: string, from = 10, to = from) => ({
  filename,
  start: { line: from, column: 1 },
  end: { line: to, column: 5 },
});

describe('the code of a diagnostic', () => {
  it('is named from the folder of the module, with lines around it', () => {
    expect(codeRangeOf(range('main.tf'), '.')).toEqual({ path: 'main.tf', from: 8, to: 12 });
    expect(codeRangeOf(range('main.tf', 1), 'a/b')).toEqual({ path: 'a/b/main.tf', from: 1, to: 3 });
    expect(codeRangeOf(range('../c/./x.tofu.json'), 'a/b')?.path).toBe('a/c/x.tofu.json');
  });

  it('is bounded', () => {
    expect(codeRangeOf(range('main.tf', 100, 900), '.')).toEqual({ path: 'main.tf', from: 98, to: 112 });
    expect(codeRangeOf(range('main.tf', 100, 3), '.')).toEqual({ path: 'main.tf', from: 98, to: 102 });
  });

  it('is not outside the Source, not a value and not a file of the server', () => {
    for (const name of [
      '../main.tf',
      '/etc/main.tf',
      '<value for var.a>',
      'terraform.tfvars.json',
      'zz_svc_override.tf.json',
    ])
      expect([name, codeRangeOf(range(name), '.')]).toEqual([name, undefined]);
    expect(codeRangeOf(range('main.tf', 0), '.')).toBeUndefined();
  });
});
