// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the generated language interpolates this way
import { expect } from 'vitest';
import { createRandom, type Random } from '../../e2e/fixtures/random.ts';
import { rewriteCalls } from '../src/drivers/module-calls/index.ts';
import { createParser } from '../src/drivers/scan/index.ts';

/** A configuration file with module calls, and the same file after its calls got the new sources, both complete. */
export type GeneratedCalls = { json: boolean; before: string; after: string; sources: Map<string, string> };

/** A piece of a file; `after` when a rewriting changes it. */
type Piece = string | { before: string; after: string };

const pick = <T>(random: Random, all: readonly T[]): T => all[random.below(all.length)] as T;
const chance = (random: Random, one: number): boolean => random.below(one) === 0;
const shuffled = <T>(random: Random, all: readonly T[]): T[] =>
  all
    .map((item) => ({ item, order: random.below(1 << 30) }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);

/** Syntax in which a call may hide: nothing of it may change. */
const decoys = [
  '# module "m0" { source = "decoy/a/b" }\n',
  '// module "m0" {\n//   source = "decoy/a/b"\n// }\n',
  '/* module "m0" {\n  source = "decoy/a/b"\n  version = "1"\n} */\n',
  'locals {\n  text = <<EOT\nmodule "m0" {\n  source = "decoy/a/b"\n  version = "1"\n}\nEOT\n}\n',
  'locals {\n  text = <<-EOT\n    module "m1" {\n      source = "${local.a}"\n    }\n    %{ for x in [1] ~}\n    version = "${x}"\n    %{ endfor ~}\n  EOT\n}\n',
  'resource "a_b" "module" {\n  source  = "decoy/a/b"\n  version = "1"\n  module {\n    source = "decoy/a/b"\n  }\n}\n',
  'variable "module" {\n  default = { source = "decoy/a/b", version = "1" }\n}\n',
  'output "o" {\n  value = "module \\"m0\\" { source = \\"decoy\\" }"\n}\n',
  'locals {\n  nested = "${"${"}"}"}$${x}%%{y}"\n}\n',
  'locals {\n  a = module.m0.x == 1 ? { "source" = "decoy" } : { source : "decoy" }\n}\n',
  'output "größe" { value = "日本 \u{1f600}" }\n',
  'terraform {\n  required_providers {\n    aws = {\n      source  = "hashicorp/aws"\n      version = ">= 5"\n    }\n  }\n}\n',
  '\n',
  '   \t\n',
];

const otherArguments = [
  '  for_each = { for k, v in var.all : k => v if v != "module" }\n',
  '  count = length([for s in ["a", "b"] : s])\n',
  '  providers = {\n    aws = aws.west\n    source = aws\n  }\n',
  '  depends_on = [module.other, aws_vpc.this]\n',
  '  settings = { source = "decoy", version = "9" }\n',
  '  name = "${var.prefix}-%{ if var.x }version = \\"1\\"%{ endif }"\n',
  '  script = <<-EOT\n    source = "decoy"\n    version = "1"\n  EOT\n',
  '  # source = "decoy"\n',
  '  /* version = "1" */\n',
  '  // the \u{1f600} module\n',
  '  sources = ["source"]\n',
  '  source_version = "version"\n',
  '  list = [\n    "a", # one\n    "b",\n  ]\n',
  '\n',
];

const addresses = [
  'terraform-aws-modules/vpc/aws',
  'app.example.com/org/name/aws//modules/x',
  'git::https://example.com/a/b.git//sub?ref=v1.2.0&depth=1',
  'github.com/org/repo?ref=main',
  'https://example.com/m.zip//*?archive=zip',
  './local',
];
const versions = ['1.2.3', '~> 5.0', '>= 1.0, < 2.0', '= 1.0.0-beta.1'];

const names = ['m0', 'm1', 'vpc', 'a-b_c', 'größe', 'module', 'source', '__proto__', 'constructor'];
const newSources = ['./packages/vpc', '../packages/x/modules/y', '../../p/with space', './日本/a"b', "./it's"];

const comment = (text: string): string => `/* ${text.replaceAll('*/', '* /')} */`;

function sourcePiece(random: Random, address: string, target: string | undefined): Piece[] {
  const value = pick(random, [
    `"${address}"`,
    `"${address}"`,
    `("${address}")`,
    `"${address.slice(0, 3)}\\u${address.charCodeAt(3).toString(16).padStart(4, '0')}${address.slice(4)}"`,
    `<<EOT\n${address}\nEOT`,
  ]);
  const head = pick(random, ['source = ', 'source=', 'source   =  ', 'source /* = */ = ', 'source\t=\t']);
  const changed = target === undefined ? value : `"${target.replaceAll('"', '\\"')}" ${comment(value)}`;
  return [head, { before: value, after: changed }];
}

function versionPiece(random: Random, isRewritten: boolean): Piece {
  const value = pick(random, [`"${pick(random, versions)}"`, '("1.0")', '<<EOT\n1.0\nEOT']);
  const before = `version ${pick(random, ['=', '   =', '/* the */ ='])} ${value}`;
  return { before, after: isRewritten ? comment(before) : before };
}

const tail = (random: Random, piece: Piece[]): Piece[] => {
  const last = piece.at(-1) as Piece;
  const isHeredoc = (typeof last === 'string' ? last : last.before).endsWith('EOT');
  return [
    '  ',
    ...piece,
    isHeredoc ? '\n' : pick(random, ['\n', '\n', ' # "source"\n', ' // x\n', ' /* */\n', '   \n']),
  ];
};

function nativeCall(random: Random, name: string, target: string | undefined): Piece[] {
  const plain = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(name);
  const label = pick(random, [
    `"${name}"`,
    `"${name}"`,
    plain ? name : `"${name}"`,
    `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}"`,
  ]);
  const head = `${pick(random, ['module ', 'module  ', 'module /* x */ '])}${label} {`;
  const source = () => sourcePiece(random, pick(random, addresses), target);
  if (chance(random, 5)) {
    const [start = '', value = ''] = source();
    const isHeredoc = typeof value !== 'string' && value.before.startsWith('<<');
    if (!isHeredoc) return [head, pick(random, [' ', '']), start, value, ' }', pick(random, ['\n', ' # one\n'])];
  }
  const parts: Piece[][] = shuffled(random, otherArguments)
    .slice(0, random.below(6))
    .map((text) => [text]);
  // An override may set one of the two, or none.
  const kind = random.below(6);
  if (kind !== 1) parts.push(tail(random, source()));
  if (kind > 1 && kind < 5) parts.push(tail(random, [versionPiece(random, target !== undefined)]));
  return [head, pick(random, ['\n', ' # head\n']), ...shuffled(random, parts).flat(), '}\n'];
}

const textOf = (pieces: readonly Piece[], side: 'before' | 'after'): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : piece[side])).join('');

function nativeFile(random: Random, sources: Map<string, string>): Pick<GeneratedCalls, 'before' | 'after'> {
  const pieces: Piece[] = [];
  for (const name of shuffled(random, names).slice(0, 1 + random.below(4))) {
    for (let count = random.below(3); count > 0; count -= 1) pieces.push(pick(random, decoys));
    pieces.push(...nativeCall(random, name, sources.get(name)));
  }
  if (chance(random, 2)) pieces.push(pick(random, decoys));
  const lineEnd = chance(random, 3) ? '\r\n' : '\n';
  const byteOrderMark = chance(random, 4) ? '\ufeff' : '';
  const whole = (side: 'before' | 'after') => `${byteOrderMark}${textOf(pieces, side).replaceAll('\n', lineEnd)}`;
  return { before: whole('before'), after: whole('after') };
}

type Property = { key: string; before: string; after?: string; isRemoved?: boolean };

/** Writes an object; a removed property takes the separator after it along, or the one before it at the end. */
function jsonObject(random: Random, properties: readonly Property[]): { before: string; after: string } {
  const [open, close] = pick(random, [
    ['{', '}'],
    ['{\n  ', '\n}'],
    ['{ ', ' }'],
  ] as const);
  const texts = properties.map((property) => {
    const colon = pick(random, [':', ': ', ' : ']);
    const key = property.key.startsWith('\\') ? `"${property.key}"` : JSON.stringify(property.key);
    return {
      before: `${key}${colon}${property.before}`,
      after: property.after?.startsWith('"//"')
        ? property.after.replace('\u0000', `${key}${colon}`)
        : `${key}${colon}${property.after ?? property.before}`,
      isRemoved: property.isRemoved === true,
      separator: pick(random, [',', ', ', ',\n    ', ' ,\t']),
    };
  });
  const before = texts
    .map(({ before: text, separator }, at) => text + (at < texts.length - 1 ? separator : ''))
    .join('');
  let after = '';
  texts.forEach((text, at) => {
    const isLast = at === texts.length - 1;
    if (!text.isRemoved) after += text.after + (isLast ? '' : text.separator);
    else if (isLast && at > 0) after = after.slice(0, after.length - (texts[at - 1]?.separator.length ?? 0));
  });
  return { before: `${open}${before}${close}`, after: `${open}${after}${close}` };
}

const otherProperties: readonly Property[] = [
  { key: 'for_each', before: '"${toset([\\"a\\"])}"' },
  { key: 'providers', before: '{"aws": "aws.west", "source": "aws"}' },
  { key: 'depends_on', before: '["module.other"]' },
  { key: 'count', before: '12345678901234567890.5' },
  { key: 'settings', before: '{"source": "decoy", "version": "9", "module": {"m0": {"source": "x"}}}' },
  { key: 'name', before: '"日本 \\ud83d\\ude00 ${var.x}"' },
  { key: 'tags', before: '[1, null, true, {"//": "x"}]' },
];

function jsonBody(random: Random, target: string | undefined): { before: string; after: string } {
  const properties = shuffled(random, otherProperties).slice(0, random.below(4));
  const isCommented = chance(random, 4);
  if (isCommented) properties.push({ key: '//', before: '"a comment"' });
  const address = pick(random, addresses);
  const version = pick(random, versions);
  const kind = random.below(6);
  const hasVersion = kind > 0 && kind < 4;
  if (kind !== 1) {
    const before = JSON.stringify(address).replace('/', pick(random, ['/', '\\/', '\\u002f']));
    const text = JSON.stringify(hasVersion ? `${address} ${version}` : address);
    const written = JSON.stringify(target);
    const after = isCommented ? written : `"//": ${text}, \u0000${written}`;
    const key = pick(random, ['source', 'source', 'so\\u0075rce']);
    properties.push({
      key: key === 'source' ? key : `\\u0073${key.slice(1)}`,
      before,
      ...(target !== undefined && { after }),
    });
  }
  if (hasVersion) properties.push({ key: 'version', before: JSON.stringify(version), isRemoved: target !== undefined });
  return jsonObject(random, shuffled(random, properties));
}

type Text = { before: string; after: string };
const listed = (texts: readonly Text[]): Text => ({
  before: `[${texts.map(({ before }) => before).join(', ')}]`,
  after: `[${texts.map(({ after }) => after).join(', ')}]`,
});
const maybeListed = (random: Random, text: Text): Text => (chance(random, 3) ? listed([text]) : text);

function jsonFile(random: Random, sources: Map<string, string>): Text {
  const calls = shuffled(
    random,
    names.filter((name) => name !== '__proto__'),
  )
    .slice(0, 1 + random.below(3))
    .map((name) => ({ key: name, ...maybeListed(random, jsonBody(random, sources.get(name))) }));
  const byCall = chance(random, 3);
  const modules = byCall
    ? listed(calls.map((call) => jsonObject(random, [call])))
    : maybeListed(random, jsonObject(random, calls));
  const root = jsonObject(
    random,
    shuffled(random, [
      { key: pick(random, ['module', '\\u006dodule']), ...modules },
      { key: 'locals', before: '{"module": {"m0": {"source": "decoy/a/b", "version": "1"}}}' },
      { key: '//', before: '"module"' },
    ]),
  );
  return maybeListed(random, root);
}

/** Generates a file whose named calls, in part, get new sources. */
export function generateCalls(random: Random): GeneratedCalls {
  const sources = new Map<string, string>();
  for (const name of names) if (!chance(random, 4)) sources.set(name, pick(random, newSources));
  const json = chance(random, 3);
  return { json, sources, ...(json ? jsonFile(random, sources) : nativeFile(random, sources)) };
}

/** Rewrites generated files and compares every byte. */
export async function expectExactRewriting(times: number): Promise<void> {
  const random = createRandom();
  const parse = createParser();
  for (let round = 0; round < times; round += 1) {
    const { json, before, after, sources } = generateCalls(random);
    const file = { path: json ? 'main.tf.json' : 'main.tf', bytes: Buffer.from(before), json };
    const message = `seed ${random.seed}, round ${round}:\n${before}`;
    const rewritten = await rewriteCalls(file, sources, parse).catch((error: unknown) => String(error));
    expect(rewritten.toString(), message).toBe(after);
  }
}
