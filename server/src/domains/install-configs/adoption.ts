import type { InterfacesDomain } from '#server/domains/interfaces/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import {
  type Compiled,
  compileManifest,
  hasModule,
  type ManifestPolicy,
  manifestKeyOf,
  parseManifest,
} from '#server/drivers/manifest/index';
import { canonicalJson, digestOf, jsonDigest } from '#server/kernel/digest';
import { AppError, notFound } from '#server/kernel/errors';
import { genericInstallConfigId } from '#shared/install-configs/contract';
import type { JsonObject } from '#shared/kernel/json';
import {
  type ManifestIgnoredReason,
  type ManifestRefusal,
  manifestCode,
  type RepositoryInstallUx,
} from '#shared/manifest/contract';
import type { RepositoryManifest } from '#shared/sources/contract';
import type { CompatibilityReport } from '#shared/sources/report';
import type { BaseConfig } from './bases.ts';
import { fitBase, overBase } from './fit-base.ts';
import { findEndpoint } from './public-address.ts';
import type { InstallConfigsService } from './service.ts';

/** Base of an installation, with its parts as they apply to one module. */
type Start = BaseConfig & {
  /** Values that the operator fixes. */
  fixed: JsonObject;
};
export type Adoption = ReturnType<typeof createAdoption>;
/** The manifest fields of a snapshot; `document` is the exact text of a valid one. */
type ManifestEvidence = {
  id: string;
  sourceId: string;
  ref: string;
  path: string;
  repositoryManifest: RepositoryManifest;
  document: string | null;
};
type Deps = {
  configs: Pick<InstallConfigsService, 'findBase' | 'derive' | 'requireIntact'>;
  workspaces: Pick<WorkspacesService, 'findPolicy'>;
  findEvidence: (snapshotId: string) => ManifestEvidence | undefined;
  baseDomain: string | undefined;
  interfaces: Pick<InterfacesDomain, 'required'>;
};
/** `installConfigId` is the base of the proposal, or a proposal that was accepted before. */
type AdoptionInput = { workspaceId: string; report: CompatibilityReport; installConfigId?: string | undefined };
type Proposal = Extract<Compiled, { status: 'compiled' }> & {
  evidence: ManifestEvidence;
  apiVersion: string;
  digest: string;
};
type Judged =
  | { status: 'absent' }
  | { status: 'ignored'; reason: ManifestIgnoredReason; message: string }
  | Extract<Compiled, { status: 'refused' }>
  | Proposal;

const ignored: Record<ManifestIgnoredReason, string> = {
  not_regular_file: 'The manifest is not a regular file, so it is not used.',
  too_large: 'The manifest is larger than 131,072 bytes, so it is not used.',
  invalid_utf8: 'The manifest is not UTF-8 text, so it is not used.',
  invalid_document: 'The manifest has a mistake, so it is not used. The snapshot lists its problems.',
};

/**
 * Compiles the proposal of a repository into a configuration of the server. Only this code reads the document of a manifest:
 * installations, plans and Runs read the configuration.
 */
export const createAdoption = (deps: Deps) => ({
  /** Requires that a configuration belongs to the snapshot of a report. 409 `repository_install_ux_stale`. */
  requireFresh: (input: AdoptionInput & { installConfigId: string }): void => void baseOf(deps, input),

  /**
   * Compiles and stores the proposal, in the caller's transaction. Throws 409 `repository_install_ux_invalid` when a policy requires a
   * manifest that does not exist, and 409 `repository_install_ux_stale`.
   */
  adopt(input: AdoptionInput & { capsuleName: string }): RepositoryInstallUx {
    const base = baseOf(deps, input);
    const judged = judge(deps, input, base);
    switch (judged.status) {
      case 'absent':
        return judged;
      case 'compiled':
        return {
          status: 'accepted',
          installConfigId: keep(deps, { ...input, base }, judged),
          ...usesOf(deps, input, judged),
        };
      case 'ignored':
        return { status: 'invalid', diagnosticCode: manifestCode(judged.reason), message: judged.message };
      case 'refused':
        return { status: 'invalid', diagnosticCode: manifestCode(judged.code), message: judged.message };
    }
  },

  /**
   * Returns the configuration that an installation of a checked module starts from: the accepted proposal of exactly this report, or the
   * base of proposals; undefined for any other. Throws 409 where a manifest or a policy forbids it.
   */
  findStart(input: AdoptionInput & { installConfigId: string }): Start | undefined {
    const config = deps.configs.findBase(input.installConfigId);
    if (!config || !isVisible(config, input.workspaceId)) return undefined;
    if (!config.isDerived) {
      if (config.modulePath !== null && config.modulePath !== input.report.modulePath) return undefined;
      const judged = judge(deps, input, config);
      if (judged.status === 'refused') throw refused(judged.code, judged.message);
      return openStart(deps, input.report, config);
    }
    const manifest = config.provenance?.manifest;
    if (!manifest || manifest.acceptedId !== undefined || !isProposalOf(config, input.report)) return undefined;
    requireVersion(policiesOf(deps, input.workspaceId, baseOf(deps, input)), manifest.apiVersion);
    return openStart(deps, input.report, config);
  },

  /** Returns the accepted proposal or base of an installation that was checked before. 404 when it was deleted. */
  getStart(installConfigId: string, report: CompatibilityReport): Start {
    const config = deps.configs.findBase(installConfigId);
    if (!config) throw notFound('InstallConfig');
    return openStart(deps, report, config);
  },
});

/** Interfaces that the module would use now. */
function usesOf({ interfaces }: Deps, { workspaceId }: AdoptionInput, { parts }: Proposal) {
  const { requiredInterfaces = [] } = parts;
  if (requiredInterfaces.length === 0) return {};
  return { requiredInterfaces: interfaces.required.listMatches(workspaceId, requiredInterfaces) };
}

const isVisible = (config: BaseConfig, workspaceId: string): boolean =>
  config.workspaceId === null || config.workspaceId === workspaceId;

const isProposalOf = ({ provenance, modulePath }: BaseConfig, report: CompatibilityReport): boolean =>
  provenance?.reportId === report.id && modulePath === report.modulePath;

/**
 * A proposal contains the fitted parts of its base, and leaves the fixed values to the base. 409 `capsule_install_config_rebind_conflict`
 * where one of them was altered in the ledger.
 */
function openStart({ configs, baseDomain }: Deps, report: CompatibilityReport, config: BaseConfig): Start {
  configs.requireIntact(config.id);
  if (!config.isDerived)
    return { ...config, parts: fitBase(config, report, baseDomain), fixed: fixedOf(config, report) };
  const baseId = config.provenance?.manifest?.baseId;
  const base = baseId === undefined ? undefined : configs.findBase(baseId);
  if (!base) return { ...config, fixed: {} };
  configs.requireIntact(base.id);
  return { ...config, fixed: fixedOf(base, report) };
}

function fixedOf(
  { variableMapping }: BaseConfig,
  { rootModuleVariableDeclarations: declared = [] }: CompatibilityReport,
) {
  const isDeclared = (name: string) => declared.some((one) => one.name === name);
  return Object.fromEntries(Object.entries(variableMapping).filter(([name]) => isDeclared(name))) as JsonObject;
}

/** Returns the base of a proposal. 409 `repository_install_ux_stale` for a proposal accepted from another snapshot. */
function baseOf(
  deps: Deps,
  { workspaceId, report, installConfigId = genericInstallConfigId }: AdoptionInput,
): BaseConfig {
  const config = requireConfig(deps, installConfigId, workspaceId);
  if (!config.isDerived) return config;
  const { provenance } = config;
  const manifest = provenance?.manifest;
  const baseId = manifest && deps.configs.findBase(manifest.baseId) ? manifest.baseId : genericInstallConfigId;
  const base = requireConfig(deps, baseId, workspaceId);
  const isFresh = provenance?.sourceSnapshotId === report.sourceSnapshotId && manifest?.baseDigest === base.digest;
  if (!manifest || isFresh) return base;
  throw new AppError(
    'repository_install_ux_stale',
    'This configuration was made for another snapshot. Check the module again without it.',
  );
}

function requireConfig({ configs }: Deps, id: string, workspaceId: string): BaseConfig {
  const config = configs.findBase(id);
  if (!config) throw notFound('InstallConfig');
  if (config.workspaceId === null || config.workspaceId === workspaceId) return config;
  throw new AppError('forbidden', 'This InstallConfig belongs to another Workspace. Name one of this Workspace.');
}

const policiesOf = ({ workspaces }: Deps, workspaceId: string, base: BaseConfig): ManifestPolicy[] =>
  [workspaces.findPolicy(workspaceId), base.policy].flatMap((one) => one.repositoryInstallUx ?? []);

function judge(deps: Deps, { workspaceId, report }: AdoptionInput, base: BaseConfig): Judged {
  const policies = policiesOf(deps, workspaceId, base);
  const isRequired = policies.some(({ requiredManifestApiVersion }) => requiredManifestApiVersion !== undefined);
  const evidence = deps.findEvidence(report.sourceSnapshotId);
  const repositoryManifest = evidence?.repositoryManifest ?? { status: 'absent' as const };
  if (isRequired && repositoryManifest.status !== 'present') throw required();
  if (!evidence || repositoryManifest.status === 'absent') return { status: 'absent' };
  if (repositoryManifest.status === 'invalid')
    return { status: 'ignored', reason: repositoryManifest.reason, message: ignored[repositoryManifest.reason] };
  const { digest } = repositoryManifest;
  const document = readDocument(evidence, digest);
  const { modulePath } = report;
  if (!isRequired && !hasModule(document, manifestKeyOf(evidence.path, modulePath))) return { status: 'absent' };
  const { baseDomain } = deps;
  const parts = fitBase(base, report, baseDomain);
  const fitted = { ...base, parts };
  const compiled = compileManifest({
    document,
    snapshot: evidence,
    modulePath,
    report,
    base: fitted,
    policies,
    baseDomain: findEndpoint(parts)?.baseDomain ?? baseDomain,
  });
  if (compiled.status === 'compiled') {
    const whole = overBase(compiled.parts, parts);
    return { ...compiled, parts: whole, evidence, apiVersion: document.apiVersion, digest };
  }
  if (isRequired && (compiled.code === 'manifest_api_version_required' || compiled.code === 'module_missing'))
    throw refused(compiled.code, compiled.message);
  return compiled;
}

/** Requires that the document is byte for byte the one validated at the sync, whose digest the snapshot records. */
function readDocument({ document: text }: ManifestEvidence, digest: string) {
  const parsed = text !== null && digestOf(Buffer.from(text)) === digest ? parseManifest(text) : undefined;
  if (parsed?.document) return parsed.document;
  throw new AppError(
    'repository_install_ux_stale',
    'The manifest of this snapshot is not the one that was recorded. Sync the Source again.',
  );
}

type StoreProposalInput = AdoptionInput & { base: BaseConfig; capsuleName: string };

/** The same proposal under the same name is the same row. */
function keep(
  { configs }: Deps,
  { workspaceId, report, base, capsuleName }: StoreProposalInput,
  proposal: Proposal,
): string {
  const { parts, apiVersion, digest, evidence } = proposal;
  const manifest = { apiVersion, digest, baseId: base.id, baseDigest: base.digest };
  return configs.derive({
    seed: canonicalJson(['repository-install-ux', workspaceId, report.id, capsuleName, manifest, jsonDigest(parts)]),
    workspaceId,
    name: capsuleName,
    modulePath: report.modulePath,
    provenance: {
      sourceId: report.sourceId,
      sourceSnapshotId: evidence.id,
      ref: evidence.ref,
      path: evidence.path,
      reportId: report.id,
      manifest,
    },
    variables: {},
    secretVariables: [],
    baseId: base.id,
    parts,
  }).id;
}

const refused = (code: ManifestRefusal, message: string): AppError =>
  new AppError('repository_install_ux_invalid', message, { details: { diagnosticCode: manifestCode(code) } });

const required = (): AppError =>
  refused(
    'manifest_api_version_required',
    'The policy of this server requires a manifest of a certain version, and this module has no usable one. Add a manifest, or ask the operator.',
  );

function requireVersion(policies: readonly ManifestPolicy[], apiVersion: string): void {
  const wanted = policies.flatMap(({ requiredManifestApiVersion: version }) => version ?? []);
  if (wanted.some((version) => version !== apiVersion)) throw required();
}
