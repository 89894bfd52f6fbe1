import type { InstallDiagnostic } from '#shared/install-plans/contract';
import { limits } from '#shared/limits';
import type { RevisionDiagnostic } from '#shared/revision-plans/revision-plan';

/* Ends installations and updates without a plan: a person cancels them, or they are abandoned. */

const days = limits.abandonedPlanDays;

export const cancelledInstall: InstallDiagnostic = {
  code: 'install_plan_cancelled',
  message: 'The installation was cancelled.',
};
export const expiredInstall: InstallDiagnostic = {
  code: 'install_plan_expired',
  message: `The installation was not continued for ${days} days, so it was ended. Start a new one.`,
};
export const cancelledRevision: RevisionDiagnostic = {
  code: 'revision_plan_cancelled',
  message: 'The update was cancelled.',
};
export const expiredRevision: RevisionDiagnostic = {
  code: 'revision_plan_expired',
  message: `The update was not continued for ${days} days, so it was ended. Start a new one.`,
};
