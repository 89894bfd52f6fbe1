import type { AppError } from '#server/kernel/errors';
import { type InstallDiagnosticCode, installDiagnosticCodes } from '#shared/install-plans/contract';

/** Refusal reasons and error codes whose diagnostic has another name. */
const diagnosticCodes: Readonly<Partial<Record<string, InstallDiagnosticCode>>> = {
  source_disabled: 'source_identity_changed',
  source_sync_required: 'source_snapshot_missing',
  module_path_not_found: 'repository_install_module_not_found',
  module_path_required: 'repository_install_module_selection_required',
  capsule_name_taken: 'capsule_identity_ambiguous',
  capsule_destroyed: 'capsule_identity_changed',
  capsule_disabled: 'capsule_identity_changed',
  capsule_held: 'capsule_identity_changed',
  repository_install_ux_stale: 'install_compilation_identity_changed',
  capsule_install_config_rebind_conflict: 'install_compilation_identity_changed',
};

/** Returns the diagnostic code of a refusal inside a step, or undefined when it has none of its own. */
export function findDiagnosticCode({ code, details }: AppError): InstallDiagnosticCode | undefined {
  const reason = details?.reason;
  return (
    installDiagnosticCodes.find((one) => one === details?.diagnosticCode) ??
    installDiagnosticCodes.find((one) => one === reason) ??
    diagnosticCodes[reason ?? code]
  );
}
