import { z } from 'zod';

/** Prefix of each kind of id. Unless `special` says otherwise an id is its prefix and a 26-character ULID. */
export const idPrefix = {
  workspace: 'ws_',
  member: 'wsm_',
  invitation: 'inv_',
  account: 'sub_',
  project: 'prj_',
  capsule: 'cap_',
  source: 'src_',
  snapshot: 'snap_',
  report: 'caprep_',
  installConfig: 'icfg_',
  installPlan: 'gip_',
  revisionPlan: 'grp_',
  plan: 'plan_',
  apply: 'apply_',
  sync: 'ssr_',
  compatibility: 'ccr_',
  backup: 'backup_',
  backupRecord: 'bkp_',
  restore: 'restore_',
  import: 'imp_',
  lateState: 'late_',
  copy: 'copy_',
  copyRevision: 'rev_',
  formResource: 'res_',
  runEvent: 'evt_',
  stateVersion: 'state_',
  output: 'out_',
  activity: 'act_',
  session: 'ses_',
  toolInstall: 'tin_',
  connection: 'conn_',
  bindingSet: 'dpf_',
  share: 'oshare_',
  dependency: 'dep_',
  dependencySnapshot: 'depsnap_',
  pat: 'pat_',
  consent: 'cns_',
  mail: 'mail_',
  runGroup: 'rg_',
  usageEvent: 'usage_',
  webhook: 'wh_',
  delivery: 'msg_',
  interface: 'if_',
  interfaceBinding: 'ifb_',
  materializationIntent: 'cimi_',
  runnerPool: 'pool_',
  runnerMachine: 'rnr_',
  runnerEnrolment: 'enr_',
} as const;
export type IdKind = keyof typeof idPrefix;

const ulid = '[0-9A-HJKMNP-TV-Z]{26}';
const special: Partial<Record<IdKind, string>> = {
  workspace: '[0-9A-Za-z]{3,64}',
  project: `(?:${ulid}|default_ws_[0-9A-Za-z]{3,64})`,
  installConfig: '[0-9a-f]{16}',
  plan: `(?:${ulid}|[0-9a-f]{16})`,
  connection: '[0-9A-Za-z]{8,64}',
  pat: '[0-9a-f]{32}',
};

const patternOf = (kind: IdKind): RegExp => new RegExp(`^${idPrefix[kind]}${special[kind] ?? ulid}$`);
const patterns = Object.fromEntries(Object.keys(idPrefix).map((kind) => [kind, patternOf(kind as IdKind)])) as Record<
  IdKind,
  RegExp
>;

export const isId = (kind: IdKind, text: string): boolean => patterns[kind].test(text);

/** Returns the schema of an id of that kind. */
export const id = (kind: IdKind) => z.string().regex(patterns[kind]);
