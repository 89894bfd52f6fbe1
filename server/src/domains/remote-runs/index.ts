export { createAuthorityOpener } from './authority.ts';
export type { LateFiles } from './late-states.ts';
export { createRemoteRuns, type PromotionFact, type RemotePorts, type RemoteRuns } from './service.ts';
export { createRemoteJobsStore } from './store.ts';
