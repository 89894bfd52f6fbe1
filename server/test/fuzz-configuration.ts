// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language under test interpolates this way
import type { Random } from '../../e2e/fixtures/random.ts';

/* Random texts in native syntax: valid ones with odd spaces, comments and nesting, and broken ones. */

type Write = () => string;
type Kit = { random: Random; pick: <T>(items: readonly T[]) => T; several: (most: number, write: Write) => string[] };

export type RandomTexts = { configuration: Write; mutate: (text: string) => string };

/** Creates writers of random files, and of damaged copies of a file. */
export function createRandomTexts(random: Random): RandomTexts {
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;
  const several = (most: number, write: Write) => Array.from({ length: random.below(most + 1) }, write);
  const kit: Kit = { random, pick, several };
  return {
    configuration: () => `${body(kit, 2)}${pick(['\n', '\n', ''])}`,
    mutate: (text) => several(3, () => '').reduce((changed) => damage(kit, changed), damage(kit, text)),
  };
}

const names = 'a b-c for if in x1 _y null true false each var string provider e1 E a- else endif'.split(' ');
const literals = '1 0 12.5 1.50 007 1e5 0.1 -1 -0 123456789012345 1234567890123456 .5 1. 0x1 1_000 true null'.split(
  ' ',
);
const labels = '"a" b "a b" "$" "${x}" "é" "" "a.b" "1" "10" "__proto__" "\\n" "%%" "x\\"y" "constructor"'.split(
  / (?=["b])/,
);
const steps = [
  '.a',
  ' . b',
  '[0]',
  '["k"]',
  '[*]',
  '.*',
  '.0',
  '.0.x',
  '[*].y',
  '.*.a',
  '.*.0',
  '.1.2',
  '.e1',
  '.0.e1',
];
const operators = ['==', '!=', '<', '>', '<=', '>=', '&&', '||', '+', '-', '*', '/', '%', '=>', '=', '&', '|', '**'];
const texts = [
  ...['text', ' ', '$', '%', '$${x}', '%%{x}', '{', '}', '\\n', '\\"', '\\\\', '\\u00e9', 'é', '日本', '#', '//', '/*'],
  ...["'", '%{ if a }x%{ endif }', '$$', '<&>', '\u2028', '"', 'e\u0301'],
];
const damages = [
  ...['{', '}', '(', ')', '[', ']', '"', '\n', ',', '=', ':', '?', '.', '${', '%{', '$', '%', '...', '=>', '=='],
  ...['<<EOT\n', 'EOT\n', '#', '/*', '*/', '//', '-', '!', ' ', '\\', 'for ', ' in ', ' if ', '0', '1.5', '*', '.*'],
  ...[
    '[*]',
    '::',
    '~',
    'é',
    '\r',
    '\r\n',
    '\t',
    'null',
    '__proto__',
    ';',
    '&',
    '|',
    "'",
    '`',
    '\0',
    '\ufeff',
    '\u00a0',
  ],
];

/** Spaces and comments, with line breaks where `lines` allows them. */
const space = ({ pick }: Kit, lines = false): string =>
  pick(['', '', ' ', ' ', '\t', '/* c */', '/* \n */', ...(lines ? ['\n', ' # x\n', '// "${\n', '\r\n'] : [])]);

function expression(kit: Kit, depth: number, lines: boolean): string {
  const { random, pick, several } = kit;
  if (depth <= 0) return pick([...literals, ...names]);
  const inner = (inLines = lines) => expression(kit, depth - 1 - random.below(2), inLines);
  const gap = () => space(kit, lines);
  const free = () => space(kit, true);
  const loop = () =>
    `for ${pick(names)}${pick(['', ', v'])} in ${inner(true)}${free()}:${free()}${inner(true)}${free()}`;
  return pick<Write>([
    () => pick(literals),
    () => `${inner()}${pick(steps)}${pick(['', ...steps])}`,
    () => `${inner()}[${inner(true)}]`,
    () =>
      `${pick([...names, 'provider::a::b'])}${gap()}(${several(3, () => inner(true)).join(',')}${pick(['', ',', '...'])}${free()})`,
    () => `${inner()}${gap()}${pick(operators)}${gap()}${inner()}`,
    () => `${inner()}${gap()}?${gap()}${inner()}${gap()}:${gap()}${inner()}`,
    () => `(${free()}${inner(true)}${free()})`,
    () => `${pick(['!', '-', '- ', '!!', '--'])}${inner()}`,
    () => `[${free()}${several(3, () => inner(true)).join(pick([',', ',\n', ' ,', ' ']))}${pick(['', ','])}${free()}]`,
    () =>
      `{${pick(['', '\n'])}${several(3, () => member(kit, depth)).join(pick([',', '\n', ' \n\n', ' ']))}${pick(['', '\n', ','])}}`,
    () => `[${loop()}${pick(['', '', ` if ${inner(true)}`, '...', ' => 1'])}]`,
    () => `{${free()}${loop()}=>${free()}${inner(true)}${pick(['', '...', ` if ${inner(true)}`])}${free()}}`,
    () => heredoc(kit, depth),
    () => quoted(kit, depth),
    () => quoted(kit, depth),
  ])();
}

function member(kit: Kit, depth: number): string {
  const key = kit.pick<Write>([
    () => kit.pick(names),
    () => quoted(kit, depth - 1),
    () => `(${expression(kit, depth - 1, true)})`,
    () => expression(kit, depth - 1, false),
  ]);
  return `${key()}${space(kit)}${kit.pick(['=', '=', ':'])}${space(kit)}${expression(kit, depth - 1, false)}`;
}

const piece = (kit: Kit, depth: number): string =>
  kit.random.below(4) > 0
    ? kit.pick(texts)
    : `\${${kit.pick(['', '', '~'])}${space(kit, true)}${expression(kit, depth - 1, true)}${space(kit, true)}}`;

const quoted = (kit: Kit, depth: number): string =>
  `"${kit.pick<Write>([
    () => kit.several(3, () => piece(kit, depth)).join(''),
    () => `\${${expression(kit, depth - 1, true)}}`,
    () => 'plain',
  ])()}"`;

function heredoc(kit: Kit, depth: number): string {
  const { pick, several } = kit;
  const marker = pick(['EOT', 'E', 'a-b']);
  const word = () => pick([() => piece(kit, depth), () => pick(['x', marker, '"', '\\', ' ', `${marker}9`])])();
  const line = () => `${pick(['', '  ', '\t', '    ', ' \t ', '\u00a0', '\u3000'])}${several(3, word).join('')}\n`;
  return `<<${pick(['', '-', '-'])}${marker}${pick(['\n', '\n', '\n', ' \n'])}${several(4, line).join('')}${pick(['', '  '])}${marker}${pick(['\n', '\n', '', ' \n'])}`;
}

function body(kit: Kit, depth: number): string {
  const { pick, several } = kit;
  const block = () =>
    `${pick(['variable', 'a', 'data'])} ${several(2, () => pick(labels)).join(' ')}${pick([' {\n', '{\n', ' {', ' { # c\n'])}${depth > 0 ? body(kit, depth - 1) : ''}${pick(['\n}', '}', '\n }'])}`;
  const items: readonly Write[] = [
    () => `${pick(names)}${space(kit)}=${space(kit)}${expression(kit, 3, false)}`,
    block,
    block,
    () => `# comment ${piece(kit, 1)}`,
    () => `a { b = ${expression(kit, 2, false)} }`,
  ];
  return several(4, () => pick(items)()).join(pick(['\n', '\n', '\n\n', ' \n', '\r\n', ' ']));
}

/** Inserts, removes, replaces or repeats a piece of a text. */
function damage({ random, pick }: Kit, text: string): string {
  const start = random.below(text.length + 1);
  const end = Math.min(text.length, start + random.below(12));
  const inserted = pick([pick(damages), '', text.slice(start, end)]);
  return `${text.slice(0, start)}${inserted}${text.slice(pick([start, start + 1, end]))}`;
}
