export { type CheckReport, examine } from './doctor.ts';
export { type Machine, type OpenExamination, openExamination } from './examination.ts';
export type { Finding } from './finding.ts';
export { examineTrail, type TrailExamination, unrecordedRunMessage } from './trail.ts';
