export { createAuthorityOpener } from './authority.ts';
export { createRemoteRuns, type PromotionFact, type RemotePorts, type RemoteRuns } from './service.ts';
