import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '#shared/kernel/json';
import { checkPackage, digestsOf, type PackageProblem, withDigests } from '../../domains/form-packages/index.ts';
import { createJsonSchemas, type JsonSchemas } from '../../drivers/json-schema/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { atTerminal } from './command.ts';
import { readPackageFile, rewritePackageFile } from './package-file.ts';
import { oneLine } from './text.ts';

/** Result for one file; the digests are those of its content, whatever it claims. */
type LintReport = {
  file: string;
  valid: boolean;
  problems: readonly PackageProblem[];
  schemaDigest?: string;
  packageDigest?: string;
  written?: true;
};

/** Checks package files without a server, and fills in their digests with `--write`. */
export const runFormsLint = atTerminal({ whenUnread: 'stops' }, async ({ terminal, args, options }) => {
  const schemas = createJsonSchemas();
  const reports: LintReport[] = [];
  try {
    for (const file of args) reports.push(await lint(file, { schemas, writes: options.write === true }));
  } finally {
    await schemas.close();
  }
  if (terminal.isJson) terminal.document({ files: reports });
  else for (const line of reports.flatMap(linesOf)) terminal.say(line);
  return reports.every(({ valid }) => valid) ? exitCodes.done : exitCodes.failed;
});

type Work = { schemas: JsonSchemas; writes: boolean };

async function lint(file: string, { schemas, writes }: Work): Promise<LintReport> {
  const read = readPackageFile(file);
  if ('reason' in read) return { file, valid: false, problems: [{ pointer: '', message: read.reason }] };
  const { json: original } = read;
  const json = writes && isJsonObject(original) ? withDigests(original) : original;
  const isChanged = isJsonObject(json) && !isDeepStrictEqual(json, original);
  if (isChanged) rewritePackageFile(file, json);
  const { problems } = await checkPackage(json, schemas);
  return {
    file,
    valid: problems.length === 0,
    problems,
    ...(isJsonObject(json) && digestsOf(json)),
    ...(isChanged && { written: true }),
  };
}

function linesOf({ file, valid, problems, schemaDigest, packageDigest, written }: LintReport): string[] {
  const count = `${problems.length} problem${problems.length === 1 ? '' : 's'}`;
  return [
    `${oneLine(file)}: ${valid ? 'valid' : count}${written ? ', digests written' : ''}`,
    ...problems.map(
      ({ pointer, message }) => `  ${pointer === '' ? '(whole file)' : oneLine(pointer)}  ${oneLine(message)}`,
    ),
    ...(schemaDigest === undefined ? [] : [`  schemaDigest   ${schemaDigest}`, `  packageDigest  ${packageDigest}`]),
  ];
}
