import { commandText } from '#shared/install-configs/build-text';
import {
  activatorDefaultSeconds,
  type LifecycleAction,
  lifecycleDefaultSeconds,
} from '#shared/install-configs/lifecycle';
import { oneLine } from './text.ts';

const executors = {
  runner: 'in the sandbox of the apply',
  operator: 'by the release activator of the server',
} as const;

/** Returns the exact actions of one phase as lines, with a heading; none without actions. */
export function actionLines(heading: string, actions: readonly LifecycleAction[]): string[] {
  if (actions.length === 0) return [];
  return [heading, ...actions.flatMap(linesOf)];
}

function linesOf(action: LifecycleAction): string[] {
  const { id, executor, command: argv, workingDirectory, env = {}, cleanupFor } = action;
  const seconds =
    action.timeoutSeconds ?? (executor === 'operator' ? activatorDefaultSeconds : lifecycleDefaultSeconds);
  const facts = [
    `${executors[executor]}, at most ${seconds} s`,
    ...(cleanupFor === undefined ? [] : [`only if ${cleanupFor} ever took effect`]),
    ...(action.useProviderCredentials === true ? ['with the credentials of the Connections'] : []),
  ];
  return [
    `  ${oneLine(id)}: ${oneLine(commandText({ argv, workingDirectory }))}`,
    `    ${facts.join(', ')}`,
    ...Object.entries(env).map(([name, value]) => `    ${oneLine(`${name}=${value}`)}`),
  ];
}
