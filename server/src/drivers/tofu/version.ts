type Version = { parts: readonly [number, number, number]; prerelease: string };

const versionPattern = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;
const constraintPattern = /^(=|!=|>=|<=|>|<|~>)?\s*(\S+)$/;

/**
 * Compares versions; returns a negative number, zero or a positive number, as in Semantic Versioning 2.0.0. An invalid
 * version sorts first.
 */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [parse(left), parse(right)];
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compare(a, b);
}

/**
 * Reports whether a version satisfies constraints as the tools write them, such as `>= 1.2, < 2.0.0` or `~> 1.4`. A
 * prerelease satisfies only a constraint that names it exactly. An unreadable constraint is never satisfied.
 */
export function satisfies(version: string, constraints: string): boolean {
  const parsedVersion = parse(version);
  if (parsedVersion === undefined) return false;
  const terms = constraints.split(',').map((term) => term.trim());
  return terms.every((term) => term === '' || meets(parsedVersion, term));
}

function meets(version: Version, term: string): boolean {
  const match = constraintPattern.exec(term);
  const bound = parse(match?.[2] ?? '');
  if (match === null || bound === undefined) return false;
  const operator = match[1] ?? '=';
  const order = compare(version, bound);
  if (version.prerelease !== '' && operator !== '!=') return operator !== '~>' && order === 0 && operator.includes('=');
  return operators[operator]?.(order, version, match[2] as string) ?? false;
}

const operators: { readonly [operator: string]: (order: number, version: Version, bound: string) => boolean } = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '~>': (order, version, bound) => order >= 0 && sharesPrefix(version, bound),
};

/** `~> 1.4` keeps the major part, `~> 1.4.2` major and minor: all given parts but the last. */
function sharesPrefix(version: Version, bound: string): boolean {
  const parts = (bound.split('-')[0] as string).replace(/^v/, '').split('.');
  return parts.slice(0, -1).every((part, index) => Number(part) === version.parts[index]);
}

function parse(text: string): Version | undefined {
  const match = versionPattern.exec(text);
  if (match === null) return undefined;
  const [major, minor, patch] = [match[1], match[2] ?? '0', match[3] ?? '0'].map(Number) as [number, number, number];
  return { parts: [major, minor, patch], prerelease: match[4] ?? '' };
}

function compare(left: Version, right: Version): number {
  for (const index of [0, 1, 2] as const) {
    const difference = left.parts[index] - right.parts[index];
    if (difference !== 0) return difference;
  }
  if (left.prerelease === right.prerelease) return 0;
  if (left.prerelease === '' || right.prerelease === '') return left.prerelease === '' ? 1 : -1;
  return comparePrerelease(left.prerelease.split('.'), right.prerelease.split('.'));
}

function comparePrerelease(left: readonly string[], right: readonly string[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const [a, b] = [left[index], right[index]];
    if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
    if (a !== b) return compareIdentifier(a, b);
  }
  return 0;
}

/** Compares identifiers: numbers come before words and are compared as numbers. */
function compareIdentifier(left: string, right: string): number {
  const [a, b] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (a && b) return Number(left) - Number(right);
  if (a !== b) return a ? -1 : 1;
  return left < right ? -1 : 1;
}
