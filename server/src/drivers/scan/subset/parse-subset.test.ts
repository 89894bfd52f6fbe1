// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language under test interpolates this way
import { describe, expect, it } from 'vitest';
import { parseExactly } from '#shared/kernel/exact-number';
import { parseNativeText } from '../native-parser.ts';
import { parseSubset } from './parse-subset.ts';

/** Returns the JSON form of the full parser as text, because the order of members matters too. */
async function fullText(text: string): Promise<string> {
  const answer = await parseNativeText(text);
  if (!('json' in answer)) throw new Error(`The full parser refuses ${JSON.stringify(text)}.`);
  return JSON.stringify(parseExactly(answer.json));
}

describe('a text of the subset', () => {
  it.each([
    ['nothing', ''],
    ['comments', '# a\n// b\n/* c\n */ a = 1 # d'],
    ['literals', 'a = 1\nb = -2.5\nc = true\nd = null\ne = !true\nf = "x"\n'],
    ['references', 'a = b.c\nd = e[0].f["g"][h]\ni = j.*.k\nl = m[*].n\no = p.0.q\n'],
    ['operators', 'a = b == 1 && c != "d" || !e\nf = -g + 2 * (h - i) % 3\n'],
    ['a conditional', 'a = b ? c : d\ne = "x ${b ? "c" : d} y"\nf = "x ${b ? 1 : ""}"\n'],
    ['calls', 'a = f()\nb = g(1, [h],)\nc = i(j...)\nd = provider::k::l(\n  m\n)\n'],
    ['loops', 'a = [for b in c : b if d]\ne = { for k, v in f : k => v... }\n'],
    ['lists and objects', 'a = [1, "b", c,]\nd = { e = 1, "f g" : 2\n (h) = 3\n i.j = 4, 5 = 6, "${k}" = [] }\n'],
    ['members in another order', 'b = { z = 1, a = 2, "10" = 3, "9" = 4 }\na = 1\n'],
    ['templates', 'a = "x${b}y"\nc = "${d}"\ne = "$${f} %%{g} $ 5% \\n\\t\\"\\\\"\nh = "${"i"}j"\n'],
    ['a heredoc', 'a = <<EOT\n  x ${b}\n\n y\nEOT\nc = f(<<EOT\nz\nEOT\n)\n'],
    ['a heredoc without its indentation', 'a = <<-EOT\n    x\n\n      y ${z}\n   $${w}\n  EOT\n'],
    ['blocks', 'a "b" c {\n  d = 1\n  e {}\n  e { f = 2 }\n}\na "b" c {}\na "g" h {}\n'],
    ['characters beyond ASCII', '# é\na = "日本 🎉"\n'],
    ['line breaks of Windows', 'a = [\r\n  1,\r\n  b,\r\n]\r\nc {\r\n}\r\n'],
  ])('has the form of the full parser: %s', async (_, text) => {
    expect(JSON.stringify(parseSubset(text))).toBe(await fullText(text));
  });

  it('may have a heredoc of very many lines', () => {
    const lines = '  x\n'.repeat(300_000);
    expect(parseSubset(`a = <<-EOT\n${lines}EOT\n`)).toEqual({ a: lines.replaceAll('  ', '') });
  });
});

it.each([
  ['an unfinished block', 'a {'],
  ['an unfinished text', 'a = "b'],
  ['an unfinished comment', '/* a'],
  ['two attributes of one name', 'a = 1\na = 2\n'],
  ['two items on a line', 'a = 1 b = 2\n'],
  ['an attribute beside a block of its name', 'a = 1\na {}\n'],
  ['blocks with and without a label', 'a {}\na "b" {}\n'],
  ['a directive', 'a = "%{ if b }c%{ endif }"\n'],
  ['a trimmed interpolation', 'a = "b ${~ c ~}"\n'],
  ['another escape', 'a = "\\u00e9"\n'],
  ['a long number', 'a = 1234567890123456\n'],
  ['a number with an exponent', 'a = 1e3\n'],
  ['names beyond ASCII', 'é = 1\n'],
  ['a text in another normal form', 'a = "e\u0301"\n'],
  ['a control character', 'a = "\u0000"\n'],
  ['a lone carriage return', 'a = 1\rb = 2\n'],
  ['a name that JavaScript treats apart', 'a = { __proto__ = 1 }\n'],
  ['an indexed key', 'a = { b[c] = 1 }\n'],
  ['deep nesting', `a = ${'['.repeat(100_000)}`],
  ['deep blocks', 'a {\n'.repeat(100_000)],
  ['deep signs', `a = ${'!'.repeat(100_000)}true\n`],
])('leaves the rest to the full parser: %s', (_, text) => {
  expect(parseSubset(text)).toBeUndefined();
});
