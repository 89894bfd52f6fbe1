import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { createRandom } from '../../../../e2e/fixtures/random.ts';
import { type Loose, providing, wholeManifest } from '../../../test/manifest-fixture.ts';
import { judgeManifest } from './index.ts';

const judge = (text: string) => judgeManifest(Buffer.from(text));
const problemsOf = (text: string) => {
  const result = judge(text);
  return result.status === 'invalid' && 'problems' in result ? result.problems : [];
};
const whole = JSON.stringify(wholeManifest());

describe('the bytes of a manifest', () => {
  test('are kept with their digest, as they are', () => {
    const text = `${whole}\n `;
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    expect(judge(text)).toEqual({ status: 'present', digest, text, modulePaths: ['.', 'modules/small'] });
  });

  test('may be 131,072, and not one more', () => {
    const filled = whole + ' '.repeat(131_072 - Buffer.byteLength(whole));
    expect(judge(filled)).toMatchObject({ status: 'present' });
    expect(judge(`${filled} `)).toEqual({ status: 'invalid', reason: 'too_large' });
  });

  test('must be UTF-8 without a byte order mark', () => {
    expect(judgeManifest(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toMatchObject({ reason: 'invalid_utf8' });
    expect(judge(`\ufeff${whole}`)).toMatchObject({ reason: 'invalid_document' });
  });

  test.each(['', '{', 'null', '[]', '"x"', '1', '{"apiVersion":1}', whole.replace('{', '{"kind":"Repository",')])(
    'that are %s are an invalid document',
    (text) => expect(judge(text)).toMatchObject({ status: 'invalid', reason: 'invalid_document' }),
  );
});

test('the example of the guide is valid', () => {
  const guide = fs.readFileSync(path.join(repositoryRoot, 'docs/manifest.md'), 'utf8');
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
  expect(judge(example)).toMatchObject({ status: 'present', modulePaths: ['.'] });
});

describe('a key called like a prototype', () => {
  test.each(['__proto__', 'constructor', 'toString'])('%s is data', (key) => {
    expect(judge(whole.replaceAll('modules/small', key))).toMatchObject({ modulePaths: ['.', key] });
    const unknown = whole.replace('"kind":"Repository"', `"kind":"Repository","${key}":{}`);
    expect(problemsOf(unknown)).toMatchObject([{ code: 'field_unknown', pointer: `/${key}` }]);
    const missing = {
      ...providing,
      spec: { ...providing.spec, inputs: {}, access: { visibility: 'workspace', resourceUriInput: key } },
    };
    const document = wholeManifest();
    document.install.modules['.'].interfaces = [missing];
    expect(problemsOf(JSON.stringify(document))).toMatchObject([
      { code: key.startsWith('_') ? 'text_invalid' : 'resource_uri_input_unknown' },
    ]);
  });
});

test('no problem holds a value or a key that could be one', () => {
  const secret = 'ghp_0123456789abcdef';
  const mutations: ((document: Loose) => void)[] = [
    (document) => Object.assign(document, { apiVersion: secret }),
    (document) => Object.assign(document, { [secret]: secret }),
    (document) => Object.assign(document.install.modules, { [`${secret}/`]: secret }),
    (document) => Object.assign(document.install, { defaultModule: secret }),
    (document) => Object.assign(document.install.modules['.'].inputs[0], { name: `${secret}-`, role: secret }),
    (document) => Object.assign(document.install.modules['.'].inputs[0].label, { en: `the token ${secret}` }),
    (document) => Object.assign(document.install.modules['.'].requires[0], { kind: secret }),
    (document) => Object.assign(document.install.modules['.'].interfaces[0].spec.document, { [secret]: { a: secret } }),
    (document) => Object.assign(document.install.modules['.'].sourceBuild.commands[0], { argv: [secret] }),
  ];
  for (const mutate of mutations) {
    const document = wholeManifest();
    mutate(document);
    const problems = problemsOf(JSON.stringify(document));
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain(secret);
  }
});

test('at most twenty problems are reported', () => {
  const document = wholeManifest();
  for (let at = 0; at < 100; at += 1) document.install.modules['.'].inputs.push({ [`field${at}`]: 1 });
  expect(problemsOf(JSON.stringify(document))).toHaveLength(20);
});

describe('no input is slow or crashes the parser', () => {
  const fill = (part: string, around: (text: string) => string = (text) => text) =>
    around(part.repeat(Math.floor((131_072 - around('').length) / part.length)));
  const inDocument = (text: string) => {
    const document = wholeManifest();
    document.install.modules['.'].interfaces[0].spec.document = '§';
    return JSON.stringify(document).replace('"§"', text);
  };
  const hostile: [string, string][] = [
    ['brackets', fill('[')],
    ['braces', fill('{"a":')],
    ['brackets in a document', fill('[', inDocument)],
    ['an unfinished text', `"${fill('\\')}`],
    ['many keys', inDocument(`{${Array.from({ length: 9_000 }, (_, at) => `"k${at}":1`).join(',')}}`)],
    [
      'many texts',
      inDocument(
        `[${fill('"a",', (text) => inDocument(`[${text}1]`))
          .match(/"a",/g)
          ?.join('')}1]`,
      ),
    ],
    ...['token=', 'eyJaaaaa.', 'Bearer ', 'a://', 'a', ' ', 'sk-', '-----BEGIN ', 'password:"', '\u2028'].map(
      (part): [string, string] => [
        `a text of ${JSON.stringify(part)}`,
        inDocument(JSON.stringify(part.repeat(Math.floor(60_000 / part.length)))),
      ],
    ),
  ];
  test.each(hostile)('%s', (_name, text) => {
    const cpuBefore = process.threadCpuUsage();
    expect(judge(text)).toHaveProperty('status');
    expect(process.threadCpuUsage(cpuBefore).user).toBeLessThan(1_500_000);
  });

  test('nor a valid document that was damaged anywhere', () => {
    const random = createRandom();
    const pieces = ['"', '{', '}', '[', ']', ',', ':', '\\', '\0', '0', 'null', '__proto__', '"kind"', 'é', '\ud800'];
    const pick = <T>(list: readonly T[]): T => list[random.below(list.length)] as T;
    for (let round = 0; round < depth({ quick: 2_000, deep: 100_000 }); round += 1) {
      let text = JSON.stringify(wholeManifest(pick(['v1', 'v2', 'v2.1', 'v2.2', 'v2.3', 'v2.4'])));
      for (let cut = random.below(4); cut >= 0; cut -= 1) {
        const at = random.below(text.length);
        text = text.slice(0, at) + pick(pieces) + text.slice(at + random.below(12));
      }
      expect(judge(text), `seed ${random.seed}: ${text}`).toHaveProperty('status');
    }
  });

  test('nor one whose parts were swapped for others', () => {
    const random = createRandom();
    const values = [null, true, 0, -1, 1e300, '', ' ', 'x', [], {}, [[]], { kind: 'user' }, 'a'.repeat(5_000)];
    for (let round = 0; round < depth({ quick: 2_000, deep: 100_000 }); round += 1) {
      const document = wholeManifest('v2.4');
      let target: Loose = document;
      for (;;) {
        const keys = Object.keys(target);
        const key = keys[random.below(keys.length)] as string;
        const child = target[key];
        if (child !== null && typeof child === 'object' && Object.keys(child).length > 0 && random.below(5) > 0)
          target = child;
        else {
          target[key] = values[random.below(values.length)];
          break;
        }
      }
      expect(judge(JSON.stringify(document)), `seed ${random.seed}`).toHaveProperty('status');
    }
  });
});
