import { readFile } from 'node:fs/promises';
import type { Node, Parser } from 'web-tree-sitter';
import { unquote } from '#shared/variables/token-cursor';
import { grammarFile } from '../../kernel/entry.ts';
import { type LocatedArgument, type LocatedCall, lineAt } from './located-call.ts';
import type { TextEdit, TextRange } from './text-edit.ts';

let loaded: Promise<Parser> | undefined;

async function loadParser(): Promise<Parser> {
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init();
  return new Parser().setLanguage(await Language.load(await readFile(grammarFile())));
}

/**
 * Returns the module calls of a file in native syntax. The grammar is not that of the tool, so a file that it reads
 * differently may lack a call here.
 */
export async function locateNativeCalls(text: string): Promise<LocatedCall[]> {
  loaded ??= loadParser();
  const tree = (await loaded).parse(text);
  if (!tree) return [];
  try {
    const body = childOf(tree.rootNode, 'body');
    return (body?.namedChildren ?? []).flatMap((node) => (node.type === 'block' ? callOf(node, text) : []));
  } finally {
    tree.delete();
  }
}

function callOf(block: Node, text: string): LocatedCall[] {
  const [type, label, ...rest] = block.namedChildren.filter(isPartOfHead);
  if (type?.text !== 'module' || !label || rest.length > 0) return [];
  const name = label.type === 'identifier' ? label.text : unquote(label.text);
  if (name === undefined) return [];
  const attributes = (childOf(block, 'body')?.namedChildren ?? []).filter(({ type }) => type === 'attribute');
  const argument = (wanted: string): LocatedArgument | undefined => {
    const node = attributes.find((attribute) => childOf(attribute, 'identifier')?.text === wanted);
    const value = node && childOf(node, 'expression');
    return value ? { whole: rangeOf(node), value: rangeOf(value) } : undefined;
  };
  const source = argument('source');
  const line = lineAt(text, source?.whole.start ?? block.startIndex);
  return [{ name, line, source, version: argument('version') }];
}

const isPartOfHead = ({ type }: Node): boolean => type === 'identifier' || type === 'string_lit';

const childOf = (node: Node, type: string): Node | undefined => node.namedChildren.find((child) => child.type === type);

const rangeOf = ({ startIndex, endIndex }: Node): TextRange => ({ start: startIndex, end: endIndex });

/**
 * Returns the edits that give a call a local source. The arguments that go stay as comments on their lines, so that no
 * line of the file moves.
 */
export function editNativeCall({ source, version }: LocatedCall, newSource: string, text: string): TextEdit[] {
  const edits: TextEdit[] = [];
  if (source) edits.push({ ...source.value, text: `${quoted(newSource)} ${commentOf(text, source.value)}` });
  if (version) edits.push({ ...version.whole, text: commentOf(text, version.whole) });
  return edits;
}

const quoted = (source: string): string => `"${source.replaceAll('"', '\\"')}"`;

const commentOf = (text: string, { start, end }: TextRange): string =>
  `/* ${text.slice(start, end).replaceAll('*/', '* /')} */`;
