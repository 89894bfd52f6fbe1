import { type FormEvent, useState } from 'react';
import type { InstallModule } from '#shared/sources/module-scan';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { inputClass, Problem } from '../../ui/controls.tsx';
import { providerText } from '../../ui/provider-text.ts';
import { Card } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useArrivalFocus } from './arrival-focus.ts';

type Props = { modules: readonly InstallModule[]; onChoose: (path: string) => void };

const searchFrom = 6;

/** List of modules to choose one from. */
export function ModuleList({ modules, onChoose }: Props) {
  const t = useText();
  const heading = useArrivalFocus<HTMLHeadingElement>();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [showErrors, setShowErrors] = useState(false);
  const wanted = search.trim().toLowerCase();
  const shown = modules.filter((module) => textOf(module).includes(wanted));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (chosen !== undefined) onChoose(chosen);
  };
  return (
    <Card>
      <form noValidate onSubmit={submit}>
        <div className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-3">
          <h2 ref={heading} tabIndex={-1} className="font-semibold outline-none">
            {t('install.modulesFound', { count: modules.length })}
          </h2>
          {modules.length >= searchFrom && (
            <input
              type="search"
              className={`${inputClass} max-w-72`}
              aria-label={t('install.searchModules')}
              placeholder={t('install.searchModules')}
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
          )}
        </div>
        <fieldset className="max-h-[28rem] overflow-y-auto">
          <legend className="sr-only">{t('install.chooseModule')}</legend>
          {shown.map((module) => (
            <ModuleChoice
              key={module.path}
              module={module}
              isChosen={module.path === chosen}
              onChoose={() => setChosen(module.path)}
            />
          ))}
          {shown.length === 0 && (
            <p role="status" className="px-4 py-6 text-center text-muted">
              {t('install.noModuleMatches')}
            </p>
          )}
        </fieldset>
        <div className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-3">
          <Button type="submit" variant="primary">
            {t('install.useModule')}
          </Button>
          {showErrors && chosen === undefined && <Problem>{t('install.chooseModule')}</Problem>}
        </div>
      </form>
    </Card>
  );
}

const textOf = ({ path, providerPackages }: InstallModule): string =>
  `${path} ${providerPackages.map(({ source }) => source).join(' ')}`.toLowerCase();

type ChoiceProps = { module: InstallModule; isChosen: boolean; onChoose: () => void };

function ModuleChoice({ module, isChosen, onChoose }: ChoiceProps) {
  const t = useText();
  const providers = module.providerPackages.map(providerText);
  return (
    <label
      className={`flex cursor-pointer items-start gap-3 border-b border-line px-4 py-2.5 last:border-b-0 hover:bg-raised ${isChosen ? 'bg-accent-soft' : ''}`}
    >
      <input
        type="radio"
        name="module"
        value={module.path}
        checked={isChosen}
        onChange={onChoose}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0">
        <span className="block font-mono font-medium break-all">
          {module.path === '.' ? t('lane.top') : visibleText(module.path)}
        </span>
        <span className="block text-sm break-words text-muted">
          {providers.length === 0 ? t('install.noProviders') : providers.join(' · ')}
        </span>
      </span>
    </label>
  );
}
