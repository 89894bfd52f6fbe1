type Rule = { operator: string; parts: readonly number[] };

const rule = /^(=|!=|>=|<=|>|<|~>)?\s*v?(\d+(?:\.\d+){0,9})(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

const parts = (text: string): number[] => text.split('.').map(Number);

/** Compares versions of different length as if the shorter ended in zeros. */
function compare(left: readonly number[], right: readonly number[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Reports whether `~>` holds: all written parts but the last are equal, and the version is not lower. The tools accept
 * no version with fewer parts than were written.
 */
const isPessimistic = (version: readonly number[], wanted: Rule): boolean =>
  wanted.parts.length <= version.length &&
  compare(version, wanted.parts) >= 0 &&
  compare(version.slice(0, wanted.parts.length - 1), wanted.parts.slice(0, -1)) === 0;

function holds(version: readonly number[], wanted: Rule): boolean {
  const order = compare(version, wanted.parts);
  switch (wanted.operator) {
    case '!=':
      return order !== 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '~>':
      return isPessimistic(version, wanted);
    default:
      return order === 0;
  }
}

function readRules(constraint: string): Rule[] | undefined {
  const rules: Rule[] = [];
  for (const text of constraint.split(',')) {
    const [, operator = '=', digits, prerelease] = rule.exec(text.trim()) ?? [];
    if (digits === undefined || prerelease !== undefined) return undefined;
    rules.push({ operator, parts: parts(digits) });
  }
  return rules;
}

/**
 * Reports whether a tool version satisfies a constraint such as `>= 1.6, < 2.0`. A pre-release of the tool counts as
 * the version that follows it. Returns undefined when the text is not a constraint or names a pre-release: the tools
 * reject both.
 */
export function satisfies(toolVersion: string, constraint: string): boolean | undefined {
  const rules = readRules(constraint);
  const core = /^v?(\d+(?:\.\d+)*)/.exec(toolVersion)?.[1];
  if (!rules || core === undefined) return undefined;
  const version = parts(core);
  return rules.every((wanted) => holds(version, wanted));
}
