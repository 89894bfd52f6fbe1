import type { Problem } from './task.ts';

/** Result of scanning a text: the position of the first error, if any. */
export type Outline = Pick<Problem, 'what' | 'line'> | undefined;

const bad = (at: number): Outline => ({ what: 'unreadable', line: at + 1 });
const lines = (text: string): string[] => text.split(/\r?\n/);

/** Accepts `[section]`, `name = value`, comments, and indented lines that continue the value above. */
export function outlineIni(text: string): Outline {
  let isInside = false;
  let hasSection = false;
  for (const [at, line] of lines(text).entries()) {
    if (/^\s*(?:[#;].*)?$/.test(line)) continue;
    const isHead = /^\[[^[\]]+\]\s*(?:[#;].*)?$/.test(line);
    const isGoingOn = isInside && /^\s+\S/.test(line);
    const isPair = hasSection && /^[^\s=[\]][^=]*=/.test(line);
    if (!isHead && !isGoingOn && !isPair) return bad(at);
    hasSection ||= isHead;
    isInside = !isHead;
  }
  return hasSection ? undefined : { what: 'not_whole' };
}

/**
 * Checks the line structure of a YAML document: no tab in an indent, keys and list items only. Text blocks are skipped, and values are not
 * interpreted.
 */
export function outlineYaml(text: string): Outline {
  let blockIndent: number | undefined;
  for (const [at, line] of lines(text).entries()) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const indent = /^[ ]*/.exec(line)?.[0].length ?? 0;
    if (blockIndent !== undefined && indent > blockIndent) continue;
    blockIndent = undefined;
    if (line[indent] === '\t' || !isYamlLine(line.slice(indent), indent)) return bad(at);
    if (/[|>][+-]?\d?\s*(?:#.*)?$/.test(line)) blockIndent = indent;
  }
  return undefined;
}

const isYamlLine = (line: string, indent: number): boolean =>
  /^(?:---|\.\.\.)(?:\s|$)/.test(line) ||
  /^-(?:\s|$)/.test(line) ||
  /^(?:"[^"]*"|'[^']*'|[^\s"'[\]{},#&*!|>%@`-][^:#]*)\s*:(?:\s|$)/.test(line) ||
  // A value may continue below its key.
  indent > 0;

/** Returns the top-level keys of a YAML mapping. */
export const topKeys = (text: string): Set<string> =>
  new Set([...text.matchAll(/^["']?([A-Za-z][\w-]*)["']?\s*:(?:\s|$)/gm)].map(([, key = '']) => key));
