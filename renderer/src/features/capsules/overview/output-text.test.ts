import { describe, expect, it } from 'vitest';
import { parseExactly } from '#shared/kernel/exact-number';
import { outputsAsEnvironment, outputsAsJson } from './output-text.ts';

describe('Outputs as environment lines', () => {
  it('quote a value that a shell would change', () => {
    const values = {
      plain: 'https://one.example:8080/a',
      quotes: `it's "$HOME"`,
      lines: 'one\n',
      empty: '',
      tilde: '~',
    };
    expect(outputsAsEnvironment(values).text).toBe(
      `plain=https://one.example:8080/a\nquotes='it'\\''s "$HOME"'\nlines='one\n'\nempty=''\ntilde='~'\n`,
    );
  });

  it('write other values as JSON with all digits of their numbers', () => {
    const values = parseExactly('{"count":12345678901234567890,"list":["a b"],"on":true,"none":null}') as object;
    expect(outputsAsEnvironment({ ...values }).text).toBe(
      `count=12345678901234567890\nlist='["a b"]'\non=true\nnone=null\n`,
    );
  });

  it('leave out names that no shell variable can have', () => {
    const { text, skipped } = outputsAsEnvironment({ 'a-b': '1', '1st': '2', _ok: '3', 'x;id': '4', é: '5' });
    expect([text, skipped]).toEqual(['_ok=3\n', ['a-b', '1st', 'x;id', 'é']]);
  });
});

it('Outputs as JSON keep all digits of their numbers', () => {
  const values = parseExactly('{"count":12345678901234567890}') as object;
  expect(outputsAsJson({ ...values })).toBe('{\n  "count": 12345678901234567890\n}\n');
});
