import { posix } from 'node:path';

import type { InstallParts } from '#shared/install-configs/parts';
import type { InstallExperience } from '#shared/install-configs/presentation';
import type { ManifestRefusal } from '#shared/manifest/contract';
import { isRelativePath } from '#shared/relative-path';
import type { CompatibilityReport } from '#shared/sources/report';
import { compileInputs, projectInputs } from './compile-inputs.ts';
import { compileInterfaces } from './compile-interfaces.ts';
import type { ManifestPolicy } from './compile-policy.ts';
import { compileRequirements } from './compile-requirements.ts';
import { Refusal } from './refusal.ts';
import type { ManifestDocument, ManifestModule } from './versions.ts';

export type { ManifestPolicy } from './compile-policy.ts';

export type CompileInput = {
  document: ManifestDocument;
  /** Snapshot that holds the document; `path` is the Source path that module paths are relative to. */
  snapshot: { id: string; sourceId: string; path: string };
  modulePath: string;
  report: Pick<
    CompatibilityReport,
    'sourceId' | 'sourceSnapshotId' | 'modulePath' | 'level' | 'rootModuleVariableDeclarations' | 'rootModuleOutputs'
  >;
  /** Configuration to which the proposal is added; its own values are kept. */
  base: { parts: InstallParts; variableNames: readonly string[]; allOutputs: boolean };
  policies: readonly ManifestPolicy[];
  /** Domain under which every service gets its own name. */
  baseDomain?: string | undefined;
};

export type Compiled =
  | { status: 'compiled'; parts: InstallParts }
  | { status: 'refused'; code: ManifestRefusal; message: string };

/**
 * Compiles a valid manifest and the exact report of one module into the parts of a configuration, or returns the first
 * reason against it. Pure: the same input gives the same parts. No part exceeds what the base and the policies allow.
 */
export function compileManifest(input: CompileInput): Compiled {
  try {
    return { status: 'compiled', parts: compile(input) };
  } catch (error) {
    if (error instanceof Refusal) return { status: 'refused', code: error.code, message: error.message };
    throw error;
  }
}

/** Returns the module path under which a repository's manifest would name the module that a Source path leads to. */
export const manifestKeyOf = (sourcePath: string, modulePath: string): string => posix.join(sourcePath, modulePath);

/** Reports whether the document has an entry for a module. */
export const hasModule = ({ install }: ManifestDocument, key: string): boolean => Object.hasOwn(install.modules, key);

function compile(input: CompileInput): InstallParts {
  requireVersion(input);
  const module = findModule(input);
  const { variables, outputs } = requireReport(input);
  const { base, policies, baseDomain } = input;
  const declared = new Map(variables.map((declaration) => [declaration.name, declaration]));
  const { targets, projections, ...requirements } = compileRequirements({
    module,
    declared,
    policies,
    reserved: base.variableNames,
    baseDomain,
  });
  const variablePresentation = compileInputs(module, { declared, targets });
  const roles = [...projectInputs(module, variablePresentation), ...projections];
  const sourceBuild = buildOf(module, base.parts);
  return {
    ...requirements,
    variablePresentation,
    installExperience: experienceOf(module, roles),
    ...compileInterfaces({ module, outputs, policies, base: base.parts, allOutputs: base.allOutputs }),
    ...(sourceBuild && { sourceBuild }),
  };
}

function requireVersion({ document, policies }: CompileInput): void {
  const wanted = policies.flatMap(({ requiredManifestApiVersion: version }) => version ?? []);
  if (wanted.some((version) => version !== document.apiVersion))
    throw new Refusal(
      'manifest_api_version_required',
      'The policy of this server requires another version of the manifest.',
    );
}

function findModule({ document, snapshot, modulePath }: CompileInput): ManifestModule {
  if (!isRelativePath(modulePath) || !isRelativePath(snapshot.path))
    throw new Refusal('module_path_invalid', 'The path of the module is not a plain path of the repository.');
  const key = manifestKeyOf(snapshot.path, modulePath);
  if (!hasModule(document, key))
    throw new Refusal('module_missing', 'The manifest does not describe the chosen module.');
  return document.install.modules[key] as ManifestModule;
}

function requireReport({ report, snapshot, modulePath }: CompileInput) {
  const { rootModuleVariableDeclarations: variables, rootModuleOutputs: outputs } = report;
  const isOf =
    report.sourceId === snapshot.sourceId &&
    report.sourceSnapshotId === snapshot.id &&
    report.modulePath === modulePath;
  if (!isOf || report.level === 'unsupported' || !variables || !outputs)
    throw new Refusal(
      'compatibility_report_mismatch',
      'The compatibility report is of another module or commit, or does not say what the module declares. Check it again.',
    );
  return { variables, outputs };
}

function experienceOf(
  { features = [] }: ManifestModule,
  projections: InstallExperience['projections'] & object,
): InstallExperience {
  return {
    ...(projections.length > 0 && { projections }),
    ...(features.length > 0 && {
      features: features.map(({ id, label, optional, inputs }) => ({
        id,
        label: { ja: label.ja, en: label.en },
        optional,
        inputs: [...inputs],
      })),
    }),
    repositoryInstallUx: { status: 'accepted' },
  };
}

/**
 * Returns the operator's source build if there is one. A proposed build whose outputs cannot all be files is dropped.
 */
function buildOf({ sourceBuild }: ManifestModule, base: InstallParts): InstallParts['sourceBuild'] {
  if (base.sourceBuild || !sourceBuild) return base.sourceBuild;
  const { commands, outputs } = sourceBuild;
  const isTwice = (path: string, at: number) => outputs.indexOf(path) !== at;
  const isBelow = (path: string) => outputs.some((other) => path.startsWith(`${other}/`));
  if (outputs.some((path, at) => isTwice(path, at) || isBelow(path)))
    throw new Refusal(
      'source_build_conflict',
      'Two outputs of the build are the same file, or one is below the other.',
    );
  return {
    commands: commands.map(({ argv, workingDirectory }) => ({
      argv: [...argv],
      ...(workingDirectory !== undefined && { workingDirectory }),
    })),
    outputs: [...outputs],
  };
}
