import type { ExposedNames } from '#shared/provider-bindings/contract';
import { useText } from '../../i18n/text.ts';
import { tupleName } from '../../ui/provider-text.ts';
import { visibleText } from '../../ui/visible-text.ts';

const isNothing = ({ envNames, files, providers, moduleInputs }: ExposedNames): boolean =>
  envNames.length + files.length + moduleInputs.length === 0 &&
  providers.every(({ arguments: args, config }) => args.length + config.length === 0);

/** Lists by name what the module and its child processes can read of the chosen Connections, and when. */
export function ExposedNamesList({ exposedNames }: { exposedNames: ExposedNames }) {
  const t = useText();
  if (isNothing(exposedNames)) return null;
  const parts: [string, string[]][] = [
    [t('binding.reach.env'), exposedNames.envNames],
    [
      t('binding.reach.files'),
      exposedNames.files.map(({ path, envName }) => (envName === undefined ? path : `${envName} (${path})`)),
    ],
    [
      t('binding.reach.arguments'),
      exposedNames.providers.flatMap(({ providerName, alias, arguments: args, config }) =>
        [...args, ...config].map((argument) => `${tupleName(providerName, alias)}: ${argument}`),
      ),
    ],
    [t('binding.reach.inputs'), exposedNames.moduleInputs],
  ];
  return (
    <details className="border-t border-line px-4 py-3 text-sm">
      <summary className="cursor-pointer font-medium text-muted hover:text-ink">{t('binding.reach')}</summary>
      <p className="mt-2">{t('binding.reach.text')}</p>
      <dl className="mt-2 flex flex-col gap-2">
        {parts
          .filter(([, names]) => names.length > 0)
          .map(([term, names]) => (
            <div key={term}>
              <dt className="text-muted">{term}</dt>
              <dd>
                <ul className="flex flex-wrap gap-x-3 gap-y-0.5">
                  {names.map((name) => (
                    <li key={name}>
                      <code className="font-mono text-xs break-all">{visibleText(name)}</code>
                    </li>
                  ))}
                </ul>
              </dd>
            </div>
          ))}
      </dl>
    </details>
  );
}
