import { useQuery } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { capsuleNamesQuery } from '../../api/links.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { Help, Problem, quietClass } from '../../ui/controls.tsx';
import { Pill } from '../../ui/pill.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { OutputChoice } from '../outputs/output-choice.ts';
import { useOutputsOf } from '../outputs/producers.ts';
import type { Input } from './entry.ts';
import { OutputValue } from './output-value.tsx';

type Props = {
  input: Input;
  choice: OutputChoice;
  /** True for a Dependency of an existing Capsule, which is changed on its page. */
  isStored: boolean;
  onChange: () => void;
  onBack: () => void;
};

/** The Output that fills an input, in place of its control. */
export function OutputShown({ input, choice, isStored, onChange, onBack }: Props) {
  const t = useText();
  const { name } = input.declared;
  const { producerId, mode, from } = choice;
  const names = useQuery(capsuleNamesQuery(useWorkspaceId()));
  const producer = names.data?.find(({ capsuleId }) => capsuleId === producerId);
  const capsule = visibleText(producer ? `${producer.name} (${producer.environment})` : producerId);
  return (
    <div data-output={name} className="rounded-md border border-line bg-raised/40 px-2.5 py-2">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Link2 size={16} aria-hidden="true" className="shrink-0 text-muted" />
        <span className="min-w-0 font-medium break-words">
          {mode === 'remote_state'
            ? t('input.output.state', { capsule })
            : t('input.output.of', { capsule, output: visibleText(from) })}
        </span>
        {mode === 'published_output' && <Pill>{t('links.public')}</Pill>}
        {!isStored && (
          <span className="ml-auto flex flex-wrap gap-1">
            <button
              type="button"
              id={`input-${name}`}
              className={quietClass}
              aria-label={`${t('input.change')}: ${name}`}
              onClick={onChange}
            >
              {t('input.change')}
            </button>
            <button
              type="button"
              className={quietClass}
              aria-label={`${t('input.output.back')}: ${name}`}
              onClick={onBack}
            >
              {t('input.output.back')}
            </button>
          </span>
        )}
      </div>
      {isStored && <Help>{t('input.output.stored')}</Help>}
      {names.data && mode !== 'remote_state' && (
        <CurrentValue input={input} choice={choice} isOwn={producer !== undefined} />
      )}
    </div>
  );
}

function CurrentValue({ input, choice, isOwn }: Pick<Props, 'input' | 'choice'> & { isOwn: boolean }) {
  const t = useText();
  const outputs = useOutputsOf(choice.producerId, isOwn);
  if (!outputs) return null;
  const offered = outputs.find(({ name }) => name === choice.from);
  return offered ? <OutputValue input={input} offered={offered} /> : <Problem>{t('input.output.missing')}</Problem>;
}
