import type { Diagnostic, SourceRange } from './types.ts';

type Fields = { readonly [key: string]: unknown };

/** Upper limit for an address, file name or variable name; code of a module can write such lines too. */
const maxNameLength = 8_192;

/** The tool writes what cannot be printed as an escape, so a name with a control character is none of its own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
const control = /[\u0000-\u001f\u007f-\u009f]/;

/** Reports whether a text can be the address of a resource or the name of a variable. */
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxNameLength && !control.test(value);

/**
 * Reads a diagnostic of the tool's JSON form; undefined when it is not one. The source snippet is left out, because it
 * can hold values. `variable` is found in the snippet's context or, when the tool shows no block, in its message.
 */
export function readDiagnostic(value: unknown): Diagnostic | undefined {
  const fields = objectOf(value);
  if (fields === undefined || typeof fields.summary !== 'string') return undefined;
  const diagnostic: Diagnostic = { severity: severityOf(fields.severity), message: fields.summary };
  if (typeof fields.detail === 'string' && fields.detail !== '') diagnostic.detail = fields.detail;
  if (isName(fields.address)) diagnostic.address = fields.address;
  const range = rangeOf(objectOf(fields.range));
  if (range !== undefined) diagnostic.range = range;
  const variable = variableOf(fields);
  if (isName(variable)) diagnostic.variable = variable;
  return diagnostic;
}

/**
 * Reports whether a failed init only lacks provider packages, so that a second one with more sources can succeed. The
 * tools have no codes for this, only these summaries.
 */
export const lacksProviders = (diagnostics: readonly Diagnostic[]): boolean => {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
  return errors.length > 0 && errors.every(isMissingPackage);
};

/**
 * Returns the providers that a warning about a lock file without checksums of other platforms names, as the tool prints
 * them; undefined for any other diagnostic.
 */
export function incompleteLockProviders({ severity, message, detail = '' }: Diagnostic): string[] | undefined {
  if (severity !== 'warning' || message !== 'Incomplete lock file information for providers') return undefined;
  return [...detail.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = '']) => name);
}

/**
 * Reports whether a package is missing. A lock file that contradicts the configuration fails in the same way, but no
 * package could repair it.
 */
const isMissingPackage = ({ message, detail }: Diagnostic): boolean =>
  missingPackage.test(message) && !/does not match configured version constraint/.test(detail ?? '');

const missingPackage =
  /^(Failed to query available provider packages|Failed to install provider|Provider release not supported|Failed to resolve provider packages)/;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const severityOf = (value: unknown): Diagnostic['severity'] =>
  value === 'error' || value === 'warning' ? value : 'info';

function variableOf(fields: Fields): string | undefined {
  const snippet = objectOf(fields.snippet);
  // A position inside the block has the block as its context; a position at the head of the block has none.
  const block = /^\s*variable "([^"]+)"/.exec(textOf(snippet?.context) || textOf(snippet?.code));
  if (block !== null) return block[1];
  if (!/variable/i.test(textOf(fields.summary))) return undefined;
  const detail = textOf(fields.detail);
  return /\bvariable "([^"]+)"/.exec(detail)?.[1] ?? /\bvar\.([\w-]+)/.exec(detail)?.[1] ?? comparedVariable(snippet);
}

/**
 * Returns the variable that a validation rule compared. Terraform points at the file with the values instead of the
 * variable.
 */
function comparedVariable(snippet: Fields | undefined): string | undefined {
  const values = Array.isArray(snippet?.values) ? snippet.values : [];
  const traversals = values.map((value) => textOf(objectOf(value)?.traversal));
  return traversals.map((traversal) => /^var\.([\w-]+)/.exec(traversal)?.[1]).find((name) => name !== undefined);
}

function rangeOf(range: Fields | undefined): SourceRange | undefined {
  const start = positionOf(range?.start);
  const end = positionOf(range?.end);
  const filename = range?.filename;
  return typeof filename === 'string' && filename.length <= maxNameLength && start && end
    ? { filename, start, end }
    : undefined;
}

function positionOf(value: unknown): SourceRange['start'] | undefined {
  const { line, column } = objectOf(value) ?? {};
  return Number.isSafeInteger(line) && Number.isSafeInteger(column)
    ? { line: line as number, column: column as number }
    : undefined;
}

const objectOf = (value: unknown): Fields | undefined =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : undefined;
