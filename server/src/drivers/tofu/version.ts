import type { SemVer } from 'semver';
import parseSemver from 'semver/functions/parse.js';

/** A version whose minor and patch part may be absent, as the tools write it. */
const versionPattern = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const constraintPattern = /^(=|!=|>=|<=|>|<|~>)?\s*(\S+)$/;

/**
 * Compares versions; returns a negative number, zero or a positive number, as in Semantic Versioning 2.0.0. An invalid
 * version sorts first.
 */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [parse(left), parse(right)];
  return a && b ? a.compare(b) : Number(a !== undefined) - Number(b !== undefined);
}

/**
 * Reports whether a version satisfies constraints as the tools write them, such as `>= 1.2, < 2.0.0` or `~> 1.4`. A
 * prerelease satisfies only a constraint that names it exactly. An unreadable constraint is never satisfied. The ranges
 * of `semver` are those of npm, where `<= 1.4` allows 1.4.9 and `~> 1.4` does not allow 1.5.
 */
export function satisfies(version: string, constraints: string): boolean {
  const parsedVersion = parse(version);
  if (parsedVersion === undefined) return false;
  const terms = constraints.split(',').map((term) => term.trim());
  return terms.every((term) => term === '' || meets(parsedVersion, term));
}

function meets(version: SemVer, term: string): boolean {
  const [, operator = '=', text = ''] = constraintPattern.exec(term) ?? [];
  const bound = parse(text);
  if (bound === undefined) return false;
  const order = version.compare(bound);
  if (version.prerelease.length > 0 && operator !== '!=')
    return operator !== '~>' && order === 0 && operator.includes('=');
  return operators[operator]?.(order, version, text) ?? false;
}

const operators: { readonly [operator: string]: (order: number, version: SemVer, bound: string) => boolean } = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '~>': (order, version, bound) => order >= 0 && sharesPrefix(version, bound),
};

/** `~> 1.4` fixes the major part, `~> 1.4.2` major and minor: all written parts but the last. */
function sharesPrefix(version: SemVer, bound: string): boolean {
  const [, major, minor, patch] = versionPattern.exec(bound) ?? [];
  const hasSameMajor = minor === undefined || version.major === Number(major);
  return hasSameMajor && (patch === undefined || version.minor === Number(minor));
}

function parse(text: string): SemVer | undefined {
  const [, major, minor = '0', patch = '0', prerelease = ''] = versionPattern.exec(text) ?? [];
  return (major && parseSemver(`${major}.${minor}.${patch}${prerelease}`, { loose: true })) || undefined;
}
