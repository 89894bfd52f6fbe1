import { expect, test } from 'vitest';
import { readAnsi, stripAnsi } from './ansi.ts';

const esc = (code: string) => `\u001b[${code}m`;

test('plain text is one plain stretch, and nothing is none', () => {
  expect([readAnsi('hello'), readAnsi('')]).toEqual([[{ text: 'hello', className: '' }], []]);
});

test('colours and looks become classes until they are set back', () => {
  expect(readAnsi(`${esc('1;31')}a${esc('22')}b${esc('39;4')}c${esc('')}d`)).toEqual([
    { text: 'a', className: 'ansi-red font-semibold' },
    { text: 'b', className: 'ansi-red' },
    { text: 'c', className: 'underline' },
    { text: 'd', className: '' },
  ]);
});

test('colours beyond the sixteen become the nearest of them', () => {
  const classOf = (code: string) => readAnsi(`${esc(code)}x`)[0]?.className;
  expect(['38;5;196', '38;2;20;200;30', '48;5;21', '38;5;240', '38:2:250:250:250', '38;5;11;1'].map(classOf)).toEqual([
    'ansi-red',
    'ansi-green',
    'ansi-on-blue',
    'ansi-dim',
    '',
    'ansi-yellow font-semibold',
  ]);
});

test('black and white stay the colour of the text', () => {
  expect(['30', '37', '97'].map((code) => readAnsi(`${esc(code)}x`)[0]?.className)).toEqual(['', '', '']);
});

test('what is no SGR stays in the text, and stripping takes only SGR away', () => {
  const text = `a\u001b[2Jb${esc('31')}c`;
  expect([stripAnsi(text), readAnsi(text).map((one) => one.text)]).toEqual(['a\u001b[2Jbc', ['a\u001b[2Jb', 'c']]);
});
