import type { ExportPlan } from './export-plan.ts';
import { secretNames, variablesName } from './variables.ts';

/** A name that modules do not have, at the top of the export. */
export const readmeName = 'README.groundctl.md';

/** Returns the text that says how to continue with the exported folder. */
export function readmeOf(plan: ExportPlan, { hasState }: { hasState: boolean }): string {
  const { capsule, module } = plan;
  return [
    `# ${inline(capsule.name)}`,
    '',
    `Exported from Ground Control: Capsule ${capsule.id} in the environment ${inline(capsule.environment)}.`,
    '',
    `- Repository: ${inline(module.url)}`,
    `- Commit: ${module.commit}`,
    `- Ref: ${inline(module.ref)}`,
    `- Folder of the repository: ${inline(module.path)}`,
    `- Folder of the module in this export: ${inline(module.modulePath)}`,
    '',
    ...continuation(plan),
    ...variables(plan),
    ...credentials(plan),
    ...stateText(plan, hasState),
    'Do not let both tools change the resources: hold or remove the Capsule in Ground Control before you apply here.',
    '',
  ].join('\n');
}

function continuation({ module, hasBackend }: ExportPlan): string[] {
  return [
    '## Continue',
    '',
    '```sh',
    ...(module.modulePath === '.' ? [] : [`cd ${quoted(module.modulePath)}`]),
    'tofu init',
    'tofu plan',
    '```',
    '',
    ...(hasBackend
      ? [
          'The module has a backend of its own, and Ground Control stores its states itself. The override file beside the module keeps',
          'the state in this folder. To use the backend of the module, delete that file and run `tofu init -migrate-state`.',
          '',
        ]
      : []),
  ];
}

function variables({ inputs, injectedNames }: ExportPlan): string[] {
  const names = [...secretNames(inputs), ...injectedNames].sort();
  const first = `Values that are not secret are in \`${variablesName}\`.`;
  if (names.length === 0) return ['## Variables', '', first, ''];
  return [
    '## Variables',
    '',
    `${first} Set these yourself, for example as environment variables:`,
    '',
    ...names.map((name) => `- \`TF_VAR_${name}\``),
    '',
  ];
}

function credentials({ credentials: bound }: ExportPlan): string[] {
  if (bound.length === 0) return [];
  return [
    '## Credentials',
    '',
    'Ground Control gave these providers their credentials. Set them as the provider documents it:',
    '',
    ...bound.map(({ provider, connection }) => `- ${inline(provider)}: Connection ${inline(connection)}`),
    '',
  ];
}

function stateText({ head }: ExportPlan, hasState: boolean): string[] {
  const lines = hasState
    ? [
        '`terraform.tfstate` holds the secrets of the module in clear, and so may the files that its applies wrote. Keep this folder',
        'private, or move the state to an encrypted backend.',
      ]
    : head
      ? [
          'The state is not in this folder, so a plan would create everything a second time. Export again with `--with-state`, or write',
          'it here with `groundctl state pull`, before you plan.',
        ]
      : ['The Capsule was never applied, so it has no state.'];
  return ['## State', '', ...lines, ''];
}

/** Names come from repositories and people: one line, and no markup. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is removed
const inline = (text: string): string => text.replace(/[\u0000-\u001f\u007f]/g, ' ').replace(/[\\`*_[\]<>#|]/g, '\\$&');

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
