import { encryptionConfig } from '#server/drivers/tofu/index';
import { allowancesOf } from '../../os/allowances.ts';
import { type Environment, toolEnvironment } from '../../os/environment.ts';
import { awaitedConfigInside } from '../../os/sandbox.ts';
import { isSealing } from '../../runner/contract/layout.ts';
import type { LaunchContext, ToolCommand } from '../launch-context.ts';
import { type CredentialFile, credentialVariables } from '../workspace/credential-files.ts';

/** Returns the environment of one command of a Run, with the paths of its files. */
export function environmentOf(
  { spec, layout, names }: LaunchContext,
  command: ToolCommand,
  files: readonly CredentialFile[],
): Environment {
  const { seen } = layout;
  const remoteState = spec.configuration?.view?.remoteState;
  const encryption = encryptionConfig({
    names,
    command: ['/bin/cat', seen.keyFile],
    ...(remoteState === undefined ? {} : { remoteState }),
  });
  return toolEnvironment({
    command: command.name,
    home: seen.home,
    dataDir: seen.data,
    cliConfigFile: command.isPrewarmed === true ? awaitedConfigInside : seen.cliConfigFile,
    tmpDir: seen.tmp,
    ...(isSealing(spec) ? { encryption } : {}),
    credentials: credentialVariables(spec, files),
    ...(command.reattach === undefined ? {} : { reattach: command.reattach }),
    ...(command.bounds?.mark === undefined ? {} : { mark: command.bounds.mark }),
    memoryBytes: allowancesOf(spec).memoryBytes,
  });
}
