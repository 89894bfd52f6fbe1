import type { ModuleCount } from '#shared/state-resources/contract';
import { moduleSteps } from '../../../components/plan/tree.ts';
import { useText } from '../../../i18n/text.ts';
import { numberText } from '../../../ui/number-text.ts';
import { Card } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

type Props = {
  modules: readonly ModuleCount[];
  /** Address of the chosen module, empty for the root module; undefined for all. */
  chosen: string | undefined;
  onChoose: (module: string | undefined) => void;
};

/** Modules of a state with the number of their resources. A press shows only those of one module. */
export function ModuleTree({ modules, chosen, onChoose }: Props) {
  const t = useText();
  return (
    <Card className="min-w-0">
      <nav aria-label={t('resources.modules')} className="max-h-56 overflow-auto p-1.5 lg:max-h-[70vh]">
        <ul>
          {modules.map(({ moduleAddress = '', count }) => {
            const steps = moduleAddress === '' ? [] : moduleSteps(moduleAddress);
            const isChosen = chosen === moduleAddress;
            return (
              <li key={moduleAddress}>
                <button
                  type="button"
                  aria-pressed={isChosen}
                  onClick={() => onChoose(isChosen ? undefined : moduleAddress)}
                  className="flex min-h-7 w-full cursor-pointer items-baseline justify-between gap-2 rounded px-2 py-1 text-left text-sm hover:bg-raised aria-pressed:bg-accent-soft aria-pressed:font-medium"
                  style={{ paddingLeft: 8 + Math.max(steps.length - 1, 0) * 12 }}
                >
                  <span className={`min-w-0 break-all ${steps.length > 0 ? 'font-mono text-xs' : ''}`}>
                    {steps.length === 0 ? t('resources.root') : visibleText(steps.at(-1) ?? '')}
                  </span>
                  <span className="text-xs text-muted tabular-nums">{numberText(count)}</span>
                </button>
              </li>
            );
          })}
        </ul>
      </nav>
    </Card>
  );
}
