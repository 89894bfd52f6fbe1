export { type CheckReport, examine } from './doctor.ts';
export { type Machine, type OpenExamination, type OpenVault, openExamination } from './examination.ts';
export type { Finding } from './finding.ts';
export { createDoctorStore, type DoctorStore, type SealedColumn } from './store.ts';
export { examineTrail, type TrailExamination, unrecordedRunMessage } from './trail.ts';
