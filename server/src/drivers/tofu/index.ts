export {
  type FindToolRequest,
  findTool,
  type LocatedTool,
  type RunProgram,
  type ToolOrigin,
  toolCacheDir,
} from './binary.ts';
export { type CliConfigOptions, cliConfig } from './cli-config.ts';
export {
  applyArgs,
  getArgs,
  initArgs,
  planArgs,
  providersArgs,
  showArgs,
  validateArgs,
  versionArgs,
} from './commands.ts';
export { incompleteLockProviders, lacksProviders, readDiagnostic } from './diagnostic.ts';
export {
  type EncryptionNames,
  emptyState,
  encryptionConfig,
  encryptionNames,
  isSealed,
  keyAnswer,
  openSealed,
  type RemoteStateTargets,
  sealPlan,
  sealState,
} from './encryption.ts';
export { TofuError, type TofuErrorCode, type TofuErrorDetails } from './error.ts';
export { type GenerateRequest, generateFiles } from './generated.ts';
export { type InstallProgress, type InstallRequest, installTool, type ToolVersions } from './install.ts';
export { hasMoreValuesThan, stateMaxValues } from './json-size.ts';
export { type LockEntry, lockDigest, parseLock } from './lock.ts';
export { collectTexts } from './marked-texts.ts';
export { createStreamedPlan, type PlanChanges, type StreamedPlan } from './plan-agreement.ts';
export { type PlannedConfiguration, readPlannedConfiguration } from './plan-file.ts';
export { type PlanProjection, projectPlan } from './plan-projection.ts';
export { createSecretTest, type SecretTest } from './plan-redaction.ts';
export { connectProvider, requestSchema } from './plugin/client.ts';
export {
  type Handshake,
  type PluginProtocol,
  parseHandshake,
  pluginEnvironment,
  reattachProviders,
} from './plugin/protocol.ts';
export {
  findSchema,
  keepSchema,
  listSchemas,
  removeSchema,
  type Schema,
  type SchemaOwner,
} from './plugin/schema-store.ts';
export {
  type ProviderEndpoint,
  type ProviderLease,
  type ProviderProcesses,
  type ProviderServer,
  serveProvider,
} from './plugin/server.ts';
export {
  isLocked,
  isPackageWhole,
  listBrokenViews,
  listStored,
  listUnfinished,
  noteUse,
  removeEmptyAbove,
  type StoredPackage,
} from './provider-cleanup.ts';
export { type FileRequest, fileStaged } from './provider-filing.ts';
export { hashPackage } from './provider-hash.ts';
export { currentPlatform, describePackage, listFolders, listMirror, type ProviderPackage } from './provider-store.ts';
export {
  type FindRequest,
  findMissing,
  type MissingProvider,
  type ProviderRequirement,
  writeView,
} from './provider-view.ts';
export { parseState, readState, type State, type StateOutput, type StateResource, stateOf } from './state.ts';
export {
  type MarkStep,
  readStateContents,
  type StateCheck,
  type StateContents,
  type StateObject,
} from './state-objects.ts';
export { withSerial } from './state-serial.ts';
export { createStreamParser, type StreamParser } from './stream.ts';
export { makeModuleFolder, prepareTree, readModuleFolder, type TreeRequest } from './tree.ts';
export { isConfigName, isLeftOut, isLoadedByTool, lockFileName, steersTool } from './tree-names.ts';
export type * from './types.ts';
export { requireDepth } from './value-depth.ts';
export { compareVersions, satisfies } from './version.ts';
