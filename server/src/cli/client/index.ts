export { runConfigGet, runConfigSet } from './configuration.ts';
export { runInstall } from './install.ts';
export { runLogs } from './logs.ts';
export { runAuditList, runCapsulesDisable, runCapsulesEnable, runConfigsPatch } from './operator.ts';
export { runPlansDiff } from './plans.ts';
export { runResources, runStatesDiff } from './resources.ts';
export { runRuns, runRunsShow } from './runs.ts';
export { runSources, runSourcesSync } from './sources.ts';
export { runTokenCreate, runTokenList, runTokenRevoke } from './tokens.ts';
