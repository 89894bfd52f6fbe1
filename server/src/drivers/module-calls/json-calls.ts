import { type Node, parseTree } from 'jsonc-parser';
import type { Json } from '#shared/kernel/json';
import { type LocatedArgument, type LocatedCall, lineAt } from './located-call.ts';
import type { TextEdit, TextRange } from './text-edit.ts';

/**
 * A call in JSON syntax. `removal` is the version with the comma that goes with it. `comment` is the text for the
 * comment property `//`, undefined when the body has one.
 */
export type LocatedJsonCall = LocatedCall & { removal: TextRange | undefined; comment: string | undefined };

/** Member of a body that the tools ignore. */
export const commentKey = '//';

/** Returns the text that keeps the arguments of a call in a comment. */
export const commentText = (source: Json | undefined, version: Json | undefined): string =>
  typeof version === 'string' ? `${source} ${version}` : `${source}`;

/** Returns the module calls of a file in JSON syntax, whose text must have been parsed as strict JSON. */
export function locateJsonCalls(text: string): LocatedJsonCall[] {
  return bodiesOf(parseTree(text))
    .flatMap((body) => bodiesOf(memberOf(body, 'module')))
    .flatMap(propertiesOf)
    .flatMap(({ name, value }) => bodiesOf(value).map((body) => callOf(name, body, text)));
}

const bodiesOf = (node: Node | undefined): Node[] => {
  if (node?.type === 'array') return (node.children ?? []).filter(({ type }) => type === 'object');
  return node?.type === 'object' ? [node] : [];
};

type Property = { name: string; node: Node; value: Node };

const propertiesOf = (body: Node): Property[] =>
  (body.children ?? []).flatMap((node) => {
    const [name, value] = node.children ?? [];
    return name && value ? [{ name: name.value as string, node, value }] : [];
  });

const memberOf = (body: Node, name: string): Node | undefined =>
  propertiesOf(body).find((property) => property.name === name)?.value;

function callOf(name: string, body: Node, text: string): LocatedJsonCall {
  const properties = propertiesOf(body);
  const find = (wanted: string) => properties.find((property) => property.name === wanted);
  const [source, version] = [find('source'), find('version')];
  return {
    name,
    line: lineAt(text, source?.node.offset ?? body.offset),
    source: source && located(source),
    version: version && located(version),
    removal: version && removalOf(version.node, body),
    comment: find(commentKey) ? undefined : commentText(source?.value.value, version?.value.value),
  };
}

const located = ({ node, value }: Property): LocatedArgument => ({ whole: rangeOf(node), value: rangeOf(value) });
const rangeOf = ({ offset, length }: Node): TextRange => ({ start: offset, end: offset + length });

/** Returns the range of a property up to the next one; of the last one, from the end of the one before it. */
function removalOf(node: Node, body: Node): TextRange {
  const all = body.children ?? [];
  const at = all.indexOf(node);
  const [before, after] = [all[at - 1], all[at + 1]];
  const { start, end } = rangeOf(node);
  if (after) return { start, end: after.offset };
  return { start: before ? rangeOf(before).end : start, end };
}

/** Returns the edits that give a call a local source. A comment property keeps the arguments where none exists. */
export function editJsonCall({ source, removal, comment }: LocatedJsonCall, newSource: string): TextEdit[] {
  const edits: TextEdit[] = [];
  if (source) {
    const { start } = source.whole;
    if (comment !== undefined) edits.push({ start, end: start, text: `"${commentKey}": ${JSON.stringify(comment)}, ` });
    edits.push({ ...source.value, text: JSON.stringify(newSource) });
  }
  if (removal) edits.push({ ...removal, text: '' });
  return edits;
}
