import type { InstallConfig } from '#shared/install-configs/contract';
import { listPresentedVariables } from '#shared/install-configs/presented-variables';
import { isPassable, type RepositoryInstallUx } from '#shared/manifest/contract';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import type { CompatibilityReport } from '#shared/sources/report';
import { failed } from '../exit-codes.ts';
import type { Work } from './command.ts';
import { oneLine } from './text.ts';

/** Reports what the manifest of the repository means for the installation. Throws when it is invalid. */
export function reportManifest({ terminal }: Pick<Work, 'terminal'>, ux: RepositoryInstallUx): void {
  if (ux.status === 'absent') return;
  if (ux.status === 'invalid' && !isPassable(ux)) throw failed(ux.diagnosticCode, oneLine(ux.message));
  terminal.note(
    ux.status === 'invalid' ? oneLine(ux.message) : 'The manifest of the repository says what is asked for',
  );
}

/** Returns the variables that can be set: those the manifest asks for, with its labels, else those the operator has not fixed. */
export function givableVariables(
  report: CompatibilityReport,
  config: InstallConfig | undefined,
): VariableDeclaration[] {
  const declared = report.rootModuleVariableDeclarations ?? [];
  if (!config) return declared;
  if (!config.installExperience?.repositoryInstallUx) return listPresentedVariables(declared, config);
  return (config.variablePresentation ?? []).flatMap((field) => {
    const one = declared.find(({ name }) => name === field.name);
    if (!one || (field.source ?? 'user') !== 'user') return [];
    const description = field.helper?.en ?? (field.label.en === field.name ? one.description : field.label.en);
    return [
      {
        ...one,
        hasDefault: field.required !== true,
        ...(field.secret && { sensitive: true }),
        ...(description !== undefined && { description }),
      },
    ];
  });
}
