/** A version as the tools read it: at least three parts, and a pre-release or an empty text. */
export type Version = { parts: readonly number[]; prerelease: string; metadata: string };
type Rule = { operator: string; version: Version; written: number };
/** The terms of a constraint, all of which must hold. */
export type Constraint = readonly Rule[];

/** Grammar of the tools' library (hashicorp/go-version), in which a pre-release of letters needs no dash. */
const versionText = String.raw`v?(\d+(?:\.\d+)*)(?:-(\d[0-9A-Za-z~-]*(?:\.[0-9A-Za-z~-]+)*)|-?([A-Za-z~-][0-9A-Za-z~-]*(?:\.[0-9A-Za-z~-]+)*))?(?:\+([0-9A-Za-z~-]+(?:\.[0-9A-Za-z~-]+)*))?`;
const versionPattern = new RegExp(`^${versionText}$`);
const rulePattern = new RegExp(String.raw`^\s*(<=|>=|!=|~>|<|>|=|)\s*(${versionText})\s*$`);
const maxLength = 256;

/** Parses a version such as `v1.2.0-rc1+build`. Returns undefined for other text. */
export function parseVersion(text: string): Version | undefined {
  const [, digits, numeric, lettered, metadata = ''] = (text.length <= maxLength && versionPattern.exec(text)) || [];
  const parts = digits?.split('.').map(Number);
  if (!parts?.every(Number.isSafeInteger)) return undefined;
  while (parts.length < 3) parts.push(0);
  return { parts, prerelease: numeric ?? lettered ?? '', metadata };
}

/** Returns the canonical text of a version: without `v`, with at least three parts. */
export const versionTextOf = ({ parts, prerelease, metadata }: Version): string =>
  `${parts.join('.')}${prerelease && `-${prerelease}`}${metadata && `+${metadata}`}`;

/** Orders versions; of different length as if the shorter ended in zeros, and a pre-release before its version. */
export function compareVersions(left: Version, right: Version): number {
  const order = compareParts(left.parts, right.parts);
  if (order !== 0 || left.prerelease === right.prerelease) return order;
  // The tools compare pre-releases of versions with equally many parts only.
  if (left.parts.length !== right.parts.length) return 0;
  if (left.prerelease === '') return 1;
  return right.prerelease === '' ? -1 : comparePrereleases(left.prerelease, right.prerelease);
}

function compareParts(left: readonly number[], right: readonly number[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

function comparePrereleases(left: string, right: string): number {
  const [ours, theirs] = [left.split('.'), right.split('.')];
  for (let index = 0; index < Math.max(ours.length, theirs.length); index += 1) {
    const order = compareIdentifiers(ours[index] ?? '', theirs[index] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

const isNumber = (text: string): boolean => /^[+-]?\d+$/.test(text);

/** Orders one identifier of a pre-release as the tools do: a missing one is lower than text and higher than a number. */
function compareIdentifiers(left: string, right: string): number {
  if (left === right) return 0;
  if (left === '') return isNumber(right) ? -1 : 1;
  if (right === '') return isNumber(left) ? 1 : -1;
  if (isNumber(left) !== isNumber(right)) return isNumber(left) ? -1 : 1;
  if (isNumber(left)) return Number(left) > Number(right) ? 1 : -1;
  return left > right ? 1 : -1;
}

/** Parses a constraint such as `>= 1.6, < 2.0`. Returns undefined for other text. */
export function parseConstraint(text: string): Constraint | undefined {
  const rules: Rule[] = [];
  for (const term of text.length <= maxLength * 4 ? text.split(',') : ['']) {
    const [, operator = '', written = '', digits = ''] = rulePattern.exec(term) ?? [];
    const version = parseVersion(written);
    if (!version) return undefined;
    rules.push({ operator: operator || '=', version, written: digits.split('.').length });
  }
  return rules;
}

/** Reports whether a version meets every term of a constraint. */
export const meets = (version: Version, constraint: Constraint): boolean =>
  constraint.every((rule) => holds(version, rule));

/** Reports whether a constraint is one exact version, which is the only form that selects a pre-release of a module. */
export const isExact = (constraint: Constraint): boolean => constraint.length === 1 && constraint[0]?.operator === '=';

function holds(version: Version, rule: Rule): boolean {
  const order = compareVersions(version, rule.version);
  switch (rule.operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '>':
      return mayCompare(version, rule) && order > 0;
    case '>=':
      return mayCompare(version, rule) && order >= 0;
    case '<':
      return mayCompare(version, rule) && order < 0;
    case '<=':
      return mayCompare(version, rule) && order <= 0;
    default:
      return isPessimistic(version, rule, order);
  }
}

/** A pre-release meets an inequality only when that names a pre-release of the same version. */
const mayCompare = (version: Version, { version: wanted }: Rule): boolean =>
  version.prerelease === '' ||
  (wanted.prerelease !== '' &&
    version.parts.length === wanted.parts.length &&
    compareParts(version.parts, wanted.parts) === 0);

/**
 * Reports whether `~>` holds: all written parts but the last are equal, and the version is not lower. The tools accept
 * no version with fewer parts than were written.
 */
function isPessimistic(version: Version, rule: Rule, order: number): boolean {
  const { version: wanted, written } = rule;
  if (!mayCompare(version, rule) || (wanted.prerelease !== '' && version.prerelease === '')) return false;
  if (order < 0 || wanted.parts.length > version.parts.length) return false;
  return compareParts(version.parts.slice(0, written - 1), wanted.parts.slice(0, written - 1)) === 0;
}

/**
 * Reports whether a tool version satisfies a constraint such as `>= 1.6, < 2.0`. A pre-release of the tool counts as
 * the version that follows it. Returns undefined when the text is not a constraint or names a pre-release: the tools
 * reject both.
 */
export function satisfies(toolVersion: string, constraint: string): boolean | undefined {
  const rules = parseConstraint(constraint);
  const core = parseVersion(/^v?\d+(?:\.\d+)*/.exec(toolVersion)?.[0] ?? '');
  if (!rules || !core || rules.some(({ version }) => version.prerelease !== '')) return undefined;
  return meets(core, rules);
}
