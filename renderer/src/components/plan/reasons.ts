import type { TextId } from '../../i18n/text.ts';

/** Reasons of the tool's actions, by the tool's codes. */
const reasons: ReadonlyMap<string, TextId> = new Map(
  (
    [
      'replace_because_cannot_update',
      'replace_because_tainted',
      'replace_by_request',
      'replace_by_triggers',
      'delete_because_no_resource_config',
      'delete_because_no_module',
      'delete_because_wrong_repetition',
      'delete_because_count_index',
      'delete_because_each_key',
      'delete_because_enabled_false',
      'delete_because_no_move_target',
      'read_because_config_unknown',
      'read_because_dependency_pending',
      'read_because_check_nested',
      'forgot_because_lifecycle_destroy_in_state',
      'forgot_because_lifecycle_destroy_in_config',
    ] as const
  ).map((code) => [code, `plan.reason.${code}` satisfies TextId]),
);

/** Returns the text of a reason code; undefined for an unknown code, which is shown as it is. */
export const reasonText = (code: string): TextId | undefined => reasons.get(code);
