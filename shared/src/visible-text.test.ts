import { expect, test } from 'vitest';
import { visibleLine, visibleText } from './visible-text.ts';

test.each([
  ['a control character', '\u0007'],
  ['a bidirectional override', '\u202e'],
  ['a mark of direction', '\u061c'],
  ['a space of no width', '\u200b'],
  ['a soft hyphen', '\u00ad'],
  ['the filler that names may hold', '\u3164'],
  ['the half-width filler', '\uffa0'],
  ['the empty Braille cell', '\u2800'],
  ['a note between lines', '\ufff9'],
  ['a selector of variants', '\ufe0f'],
  ['a tag beyond the first plane', '\u{e0041}'],
  ['a line separator', '\u2028'],
])('%s is shown as its code', (_, char) => {
  expect(visibleText(`a${char}b`)).toBe(`a\\u{${char.codePointAt(0)?.toString(16)}}b`);
});

test('letters of any language, spaces, tabs and newlines stay as they are', () => {
  const text = 'Zürich 本番 \u0431\u0430\u0437\u0430\tx\n😀';
  expect(visibleText(text)).toBe(text);
});

test('a log line loses only its colors', () => {
  expect(visibleLine('\u001b[31mred\u001b[0m \u001b]0;own\u0007')).toBe('red \\u{1b}]0;own\\u{7}');
});
