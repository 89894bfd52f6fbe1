import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Diagnostic } from '#server/drivers/tofu/index';
import { isJsonObject, type Json } from '#shared/kernel/json';
import type { PlanResource } from '#shared/plans/document';
import type { ExecutionSpec } from '../runner/contract/execution-spec.ts';
import type { Layout } from '../runner/contract/layout.ts';

/** Attribute of each known type that names the file it writes. Other absolute paths may be those of a service. */
const fileAttributes: { readonly [type: string]: string } = {
  local_file: 'filename',
  local_sensitive_file: 'filename',
  archive_file: 'output_path',
};

const outsidePathCode = 'path_outside_capsule';

const maxWarnings = 20;
const remedy = 'Use a path below path.module, or let an owner add the folder to those that the Capsule writes to.';

/** Returns a warning for each file that a plan would write outside the folder of its Capsule. */
export function outsidePathWarnings(
  { spec, layout }: { spec: Pick<ExecutionSpec, 'sandbox' | 'writablePaths'>; layout: Layout },
  resources: readonly Pick<PlanResource, 'address' | 'type' | 'actions' | 'after'>[],
): Diagnostic[] {
  const warnings = resources.flatMap(({ address, type, actions, after }): Diagnostic[] => {
    const file = textMember(after, fileAttributes[type]);
    const isWritten = actions.some((action) => action === 'create' || action === 'update' || action === 'read');
    if (file === undefined || !isWritten) return [];
    const absolute = path.posix.resolve(layout.workDir, file);
    if ([layout.seen.tree, ...writableFolders(spec)].some((folder) => isBelow(folder, absolute))) return [];
    const fact = `${address} writes outside the folder of its Capsule: ${absolute}.`;
    const message = `${fact} ${spec.sandbox === 'none' ? `A destroy removes the file there. ${remedy}` : effectOf(absolute, layout)}`;
    return [{ severity: 'warning', code: outsidePathCode, message, address }];
  });
  const rest = warnings.length - maxWarnings;
  if (rest <= 0) return warnings;
  const message = `${rest} more resources write outside the folder of their Capsule.`;
  return [...warnings.slice(0, maxWarnings), { severity: 'warning', code: outsidePathCode, message }];
}

/** Describes the effect of a write: home and TMPDIR of a command are in memory, because programs need them, and are removed with it. */
const effectOf = (file: string, { seen }: Layout): string =>
  [seen.home, seen.tmp, '/dev/shm'].some((folder) => isBelow(folder, file))
    ? `That folder of the sandbox is removed when the command ends, and the file with it. ${remedy}`
    : `The sandbox refuses that, and the apply will fail. ${remedy}`;

/** Returns the folders that a command may write to, without those that became a link or were removed. */
export const writableFolders = ({ writablePaths = [] }: Pick<ExecutionSpec, 'writablePaths'>): string[] =>
  writablePaths.filter((folder) => {
    try {
      return statSync(folder).isDirectory() && realpathSync(folder) === folder;
    } catch {
      return false;
    }
  });

const isBelow = (folder: string, file: string): boolean => file === folder || file.startsWith(`${folder}/`);

function textMember(value: Json, name: string | undefined): string | undefined {
  if (name === undefined || !isJsonObject(value)) return undefined;
  const member = Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof member === 'string' ? member : undefined;
}

const refusedWrite = /read-only file system/i;
const explanation = `The sandbox of the Run refused a write outside the folder of its Capsule. ${remedy}`;

/** Adds the reason and the remedy to a tool error about a refused write that lacks them. */
export function explainRefusedWrite(diagnostic: Diagnostic): Diagnostic {
  const { severity, message, detail } = diagnostic;
  if (severity !== 'error' || !refusedWrite.test(`${message}\n${detail ?? ''}`)) return diagnostic;
  return { ...diagnostic, detail: detail === undefined ? explanation : `${detail}\n\n${explanation}` };
}
