import type { Environment } from './settings-read.ts';
import { SettingError } from './settings-read.ts';

/** All settings of the server. A test compares the list with the names that the code reads. */
export const settingNames: readonly string[] = [
  'SVC_OPERATOR_TOKEN',
  'SVC_RELEASE_ACTIVATOR_TOKEN',
  'SVC_RELEASE_ACTIVATOR_URL',
  'GROUNDCTL_ALLOW_BUILDS_WITHOUT_SANDBOX',
  'GROUNDCTL_ALLOW_LOCAL_GIT',
  'GROUNDCTL_ALLOW_LOOPBACK_GIT',
  'GROUNDCTL_BACKUP_FOLDERS',
  'GROUNDCTL_BACKUP_HOUR',
  'GROUNDCTL_BACKUP_KEEP',
  'GROUNDCTL_BACKUP_KEY_FILE',
  'GROUNDCTL_BACKUP_RECIPIENTS',
  'GROUNDCTL_BACKUP_REGION',
  'GROUNDCTL_BACKUP_TARGET',
  'GROUNDCTL_BILLING_MODE',
  'GROUNDCTL_CA_FILE',
  'GROUNDCTL_CONCURRENT_DRIFT_CHECKS',
  'GROUNDCTL_CONCURRENT_RUNS',
  'GROUNDCTL_DATA_DIR',
  'GROUNDCTL_FENCE_KEY_FILE',
  'GROUNDCTL_FENCE_REGION',
  'GROUNDCTL_FENCE_URL',
  'GROUNDCTL_FENCE_WAIT_MINUTES',
  'GROUNDCTL_FORM_HOST',
  'GROUNDCTL_HOST',
  'GROUNDCTL_HTTPS_PROXY',
  'GROUNDCTL_KEEP_DAYS',
  'GROUNDCTL_KEY_FILE',
  'GROUNDCTL_KEY_SOURCE',
  'GROUNDCTL_OPERATOR_PORT',
  'GROUNDCTL_OWNER_EMAIL',
  'GROUNDCTL_PASSPHRASE_FILE',
  'GROUNDCTL_OIDC_ISSUER',
  'GROUNDCTL_MOBILE_OIDC_CLIENT_ID',
  'GROUNDCTL_PASSWORD_SIGN_IN',
  'GROUNDCTL_PLAN_TTL_HOURS',
  'GROUNDCTL_PORT',
  'GROUNDCTL_PROVIDER_MIRROR',
  'GROUNDCTL_PROVIDER_PROFILES',
  'GROUNDCTL_PUBLIC_BASE_DOMAIN',
  'GROUNDCTL_PUBLIC_URL',
  'GROUNDCTL_REQUIRE_ISOLATED_NETWORK',
  'GROUNDCTL_REQUIRE_SANDBOX',
  'GROUNDCTL_RUN_DISK_MB',
  'GROUNDCTL_RUN_MEMORY_MB',
  'GROUNDCTL_RUN_PROCESSES',
  'GROUNDCTL_SHARE_NETWORK',
  'GROUNDCTL_SIGN_IN_PROVIDERS',
  'GROUNDCTL_SMTP_FROM',
  'GROUNDCTL_SMTP_PASSWORD_FILE',
  'GROUNDCTL_SMTP_URL',
  'GROUNDCTL_SUPERVISOR_NODE',
  'GROUNDCTL_TLS_CERT',
  'GROUNDCTL_TLS_KEY',
  'GROUNDCTL_TOOL_PATH',
  'GROUNDCTL_TRUST_PROXY',
  'GROUNDCTL_WEBHOOK_HOSTS',
];

/** Variables of the command line, the desktop and the tests, which are in the server's environment too. */
const namesOfOthers = /^GROUNDCTL_(?:TOKEN|URL|NODE|DEV_SERVER|RUN_MARK|FUZZ_SEED|FAILPOINT|FAILPOINT_MARK|TEST_\w+)$/;

/** Returns unknown names that resemble settings, such as misspelled ones; sorted. */
export const unknownSettings = (env: Environment): string[] =>
  Object.keys(env)
    .filter((name) => /^(?:GROUNDCTL|SVC)_/.test(name) && !settingNames.includes(name) && !namesOfOthers.test(name))
    .sort();

const off = ['', '0', 'false', 'off'];
/** Features, by setting, that do not exist in this version. */
const unbuilt: Readonly<Record<string, string>> = {
  GROUNDCTL_FORM_HOST: 'a form host',
};

/** Throws `SettingError` for a setting that enables a feature this version does not have. Off and empty are accepted. */
export function refuseUnbuilt(env: Environment): void {
  for (const [name, what] of Object.entries(unbuilt))
    if (!off.includes(env[name] ?? ''))
      throw new SettingError(`${name} is set, but this version does not have ${what}. Remove the setting.`);
}
