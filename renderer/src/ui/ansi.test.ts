import { expect, test } from 'vitest';
import { readAnsi, stripAnsi } from './ansi.ts';

const esc = (code: string) => `\u001b[${code}m`;

test('parses plain text as one span, and an empty text as none', () => {
  expect([readAnsi('hello'), readAnsi('')]).toEqual([[{ text: 'hello', className: '' }], []]);
});

test('maps colors and styles to classes until they are reset', () => {
  expect(readAnsi(`${esc('1;31')}a${esc('22')}b${esc('39;4')}c${esc('')}d`)).toEqual([
    { text: 'a', className: 'ansi-red font-semibold' },
    { text: 'b', className: 'ansi-red' },
    { text: 'c', className: 'underline' },
    { text: 'd', className: '' },
  ]);
});

test('maps colors beyond the sixteen to the nearest of them', () => {
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

test('keeps the text color for black and white', () => {
  expect(['30', '37', '97'].map((code) => readAnsi(`${esc(code)}x`)[0]?.className)).toEqual(['', '', '']);
});

test('keeps sequences other than SGR in the text, and strips only SGR', () => {
  const text = `a\u001b[2Jb${esc('31')}c`;
  expect([stripAnsi(text), readAnsi(text).map((one) => one.text)]).toEqual(['a\u001b[2Jbc', ['a\u001b[2Jb', 'c']]);
});
