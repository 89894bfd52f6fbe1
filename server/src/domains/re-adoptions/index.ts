export { createRecoveryProofs, type RecoveryProof } from './recovery-proof.ts';
export { createRecoveryStore } from './recovery-store.ts';
export { reAdoptionsRoutes } from './routes.ts';
export { createReAdoptionsService } from './service.ts';
