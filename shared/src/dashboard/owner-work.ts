import type { PersonalEvent } from '../notifications/contract.ts';

/** Work in all Workspaces of the account that owns this installation, for what shows it outside of the dashboard. */
export type OwnerWork = {
  /** True while the vault is sealed; nothing is counted then. */
  isSealed: boolean;
  /** Plans, applies and drift checks that a tool executes now. */
  running: number;
  /** Applies among them: they change something outside. */
  applying: number;
  /** Plans that wait for this account, up to 100 in each Workspace. */
  waiting: number;
  /** Capsules that failed and that nothing corrects yet. */
  failed: number;
  /** The Capsules that changed last, the newest first. */
  recentCapsules: readonly RecentCapsule[];
};
export type RecentCapsule = { id: string; name: string };

export const noWork: OwnerWork = {
  isSealed: false,
  running: 0,
  applying: 0,
  waiting: 0,
  failed: 0,
  recentCapsules: [],
};

/** An event that this account wants to be notified of. */
export type OwnerNotice = {
  event: PersonalEvent;
  runId: string;
  workspaceName: string;
  capsuleName?: string;
};
