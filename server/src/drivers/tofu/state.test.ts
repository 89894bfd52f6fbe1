import { describe, expect, it } from 'vitest';
import { readState } from './state.ts';

const state = (over: object) =>
  JSON.stringify({
    version: 4,
    terraform_version: '1.12.6',
    serial: 3,
    lineage: 'l',
    outputs: {},
    resources: [],
    ...over,
  });

const resource = (over: object) => ({ mode: 'managed', type: 'terraform_data', name: 'a', instances: [{}], ...over });

describe('reading a state', () => {
  it('names every instance as the tool does', () => {
    const resources = [
      resource({}),
      resource({ name: 'n', instances: [{ index_key: 0 }, { index_key: 1 }] }),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the key is meant
      resource({ name: 'k', module: 'module.m["x"]', instances: [{ index_key: 'a"b\\c\n${d}%{e}' }] }),
      resource({ mode: 'data', type: 'local_file', name: 'd' }),
    ];
    const read = readState(state({ resources }));
    expect(read.resources.map((item) => item.address)).toEqual([
      'terraform_data.a',
      'terraform_data.n[0]',
      'terraform_data.n[1]',
      'module.m["x"].terraform_data.k["a\\"b\\\\c\\n$${d}%%{e}"]',
      'data.local_file.d',
    ]);
    expect(read.resources[3]).toMatchObject({ module: 'module.m["x"]' });
    expect(read.resourceCount).toBe(4);
  });

  it('does not count deposed objects', () => {
    const read = readState(state({ resources: [resource({ instances: [{}, { deposed: 'ab12' }] })] }));
    expect(read.resourceCount).toBe(1);
    expect(read.resources[1]).toMatchObject({ address: 'terraform_data.a', deposed: 'ab12' });
  });

  it('reads outputs with type and sensitivity', () => {
    const outputs = {
      a: { value: 1, type: 'number' },
      s: { value: 'x', type: 'string', sensitive: true },
      n: { value: null, type: 'string' },
    };
    expect(readState(state({ outputs })).outputs).toEqual({
      a: { value: 1, type: 'number', sensitive: false },
      s: { value: 'x', type: 'string', sensitive: true },
      n: { value: null, type: 'string', sensitive: false },
    });
  });

  it('escapes unprintable characters in an address as the tool does', () => {
    const keys = ['\u001b[2J', '\u202e', 'a\nb', '\u200b', '\u{e0001}', 'é😀 x'];
    const read = readState(state({ resources: [resource({ instances: keys.map((key) => ({ index_key: key })) })] }));
    const escaped = ['\\u001b[2J', '\\u202e', 'a\\nb', '\\u200b', '\\U000e0001', 'é😀 x'];
    expect(read.resources.map(({ address }) => address)).toEqual(escaped.map((key) => `terraform_data.a["${key}"]`));
  });

  it('keeps a state whose values and outputs have reserved names', () => {
    const text = state({ resources: [resource({})] }).replace(
      '"outputs":{',
      '"outputs":{"__proto__":{"value":{"__proto__":1},"type":"dynamic"},"constructor":{"value":2,"type":"number"}',
    );
    const { outputs } = readState(text);
    expect(Object.keys(outputs)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(outputs)).toBe(Object.prototype);
    expect(JSON.stringify(Object.entries(outputs)[0])).toContain('{"__proto__":1}');
  });

  it('refuses a state with so many values that parsing it would exhaust the memory', () => {
    const many = `{"version":4,"filler":[${'[],'.repeat(9_000_000)}[]]}`;
    expect(() => readState(many)).toThrow(expect.objectContaining({ code: 'state_unreadable' }));
  });

  it('never accepts a truncated or unrelated text as a state', () => {
    const whole = state({ resources: [resource({})] });
    for (let length = 0; length < whole.length; length += 1)
      expect(() => readState(whole.slice(0, length))).toThrow(expect.objectContaining({ code: 'state_unreadable' }));
    const foreign = [
      state({ version: 3 }),
      state({ lineage: '' }),
      state({ serial: -1 }),
      state({ serial: 1.5 }),
      state({ resources: {} }),
      state({ resources: [{ mode: 'x' }] }),
      '[]',
      'null',
    ];
    for (const text of foreign)
      expect(() => readState(text)).toThrow(expect.objectContaining({ code: 'state_unreadable' }));
  });
});
