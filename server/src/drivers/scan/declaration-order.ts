import { isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { endOfNested } from '#shared/variables/tokens';

/** Comments and multi-line texts, which are skipped, then the head of a variable block, a quote or a brace. */
const piece =
  /#.*|\/\/.*|\/\*[\s\S]*?\*\/|<<-?([\p{ID_Continue}-]+)[^\n]*\n(?:[^\n]*\n)*?[ \t]*\1[ \t]*\r?$|(?<![\p{ID_Continue}-])variable\s+(?:"([^"]+)"|([^\s"{]+))\s*\{|["{}]/gmu;

/** Returns the names of the top-level variable blocks of a file in native syntax, in the order of the file. */
function variableOrder(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  piece.lastIndex = 0;
  for (let match = piece.exec(text); match; match = piece.exec(text)) {
    const name = match[2] ?? match[3];
    if (match[0] === '"') piece.lastIndex = endOfNested(text, match.index + 1, '"');
    else if (match[0] === '}') depth -= 1;
    else if (match[0].endsWith('{') && (match[0] === '{' || name !== undefined)) {
      if (depth === 0 && name !== undefined) names.push(name);
      depth += 1;
    }
  }
  return names;
}

/** Sorts the variables of a parsed file in the order of its text: the parser sorts them by name. */
export function withVariableOrder(root: Json, text: string): Json {
  if (!isJsonObject(root) || !isJsonObject(root['variable'])) return root;
  const variables: JsonObject = root['variable'];
  const names = new Set([
    ...variableOrder(text).filter((name) => Object.hasOwn(variables, name)),
    ...Object.keys(variables),
  ]);
  return { ...root, variable: Object.fromEntries([...names].map((name) => [name, variables[name] as Json])) };
}
