// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language under test interpolates this way
import { describe, expect, it } from 'vitest';
import { expectExactRewriting } from '../../../test/generated-calls.ts';
import { createParser } from '../scan/index.ts';
import { type CallFile, locateCalls, ModuleCallError, rewriteCalls } from './index.ts';

const parse = createParser();
const fileOf = (text: string | Buffer, path = 'main.tf'): CallFile => ({
  path,
  bytes: Buffer.from(text),
  json: path.endsWith('.json'),
});

async function rewritten(text: string | Buffer, path?: string, source = './p'): Promise<string> {
  try {
    return (await rewriteCalls(fileOf(text, path), new Map([['m', source]]), parse)).toString();
  } catch (error) {
    return error instanceof ModuleCallError ? error.code : `crashed: ${error}`;
  }
}

describe('rewriteCalls', () => {
  it('replaces the source and keeps it and the version in comments, line for line', async () => {
    const text = [
      'module "m" {',
      '  source  = "acme/net/aws"',
      '  version = "~> 5.0" # pinned',
      '  name    = "x"',
      '}',
      'module "other" {',
      '  source = "acme/dns/aws"',
      '}',
    ];
    const expected = [...text];
    expected[1] = '  source  = "./p" /* "acme/net/aws" */';
    expected[2] = '  /* version = "~> 5.0" */ # pinned';
    expect(await rewritten(text.join('\r\n'))).toBe(expected.join('\r\n'));
  });

  it('keeps both arguments of JSON in a comment property, unless there is one', async () => {
    const bare = '{"module": {"m": {"source": "acme/net/aws", "version": "5.0", "name": "x"}}}';
    expect(await rewritten(bare, 'main.tf.json')).toBe(
      '{"module": {"m": {"//": "acme/net/aws 5.0", "source": "./p", "name": "x"}}}',
    );
    const commented = '{"module": [{"m": {"//": "net", "source": "acme/net/aws", "version": "5.0"}}]}';
    expect(await rewritten(commented, 'main.tf.json')).toBe('{"module": [{"m": {"//": "net", "source": "./p"}}]}');
  });

  it('removes the version of an override that names no source', async () => {
    expect(await rewritten('module "m" {\n  version = "5.1"\n}\n')).toBe('module "m" {\n  /* version = "5.1" */\n}\n');
    expect(await rewritten('{"module": {"m": {"version": "5.1"}}}', 'x_override.tf.json')).toBe(
      '{"module": {"m": {}}}',
    );
  });

  it('changes nothing in a file without the call', async () => {
    const text = '\ufeffmodule "n" {\n  source = "acme/net/aws"\n}\r\n# module "m" { source = "x" }';
    expect(await rewritten(text)).toBe(text);
  });

  it('quotes the new source and refuses one that a scan reads differently', async () => {
    const text = 'module "m" { source = "acme/net/aws" }\n';
    expect(await rewritten(text, 'main.tf', '../a "b"')).toContain('source = "../a \\"b\\"" /*');
    for (const source of ['p', '/p', './a${b}', './a%{b}', './a\\b', './a\nb', './\ud800', './\u0000']) {
      expect(await rewritten(text, 'main.tf', source), JSON.stringify(source)).toBe('source_not_expressible');
    }
  });

  it('refuses a file that is not configuration', async () => {
    for (const text of ['module "m" {', Buffer.from([0xff, 0x0a])])
      expect(await rewritten(text)).toBe('file_unreadable');
    expect(await rewritten('{"module": {"m": {}, "m": {}}}', 'main.tf.json')).toBe('file_unreadable');
  });

  it('refuses a file whose calls the grammar does not find', async () => {
    expect(await rewritten('locals {\n  a = 1e+5\n}\nmodule "m" {\n  source = "acme/net/aws"\n}\n')).toBe(
      'rewrite_differs',
    );
  });

  it('refuses a name in another Unicode form, which the tool would read as another folder', async () => {
    expect(await rewritten('module "m" { source = "acme/net/aws" }\n', 'main.tf', './cafe\u0301')).toBe(
      'rewrite_differs',
    );
  });

  it('changes the two arguments of generated files and no other byte', async () => {
    await expectExactRewriting(200);
  });
});

describe('locateCalls', () => {
  it('returns the line of each source, or of a block without one', async () => {
    const native = '\n# x\nmodule "a" {\n  x = 1\n  source = "./a"\n}\nmodule "b" {\n  version = "1"\n}\n';
    const lines = async (file: CallFile) => (await locateCalls(file, parse)).map(({ name, line }) => [name, line]);
    expect(await lines(fileOf(native))).toEqual([
      ['a', 5],
      ['b', 7],
    ]);
    const json = '{\n "module": {\n  "a": {\n   "source": "./a"\n  },\n  "b": {}\n }\n}\n';
    expect(await lines(fileOf(json, 'main.tf.json'))).toEqual([
      ['a', 4],
      ['b', 6],
    ]);
  });
});
