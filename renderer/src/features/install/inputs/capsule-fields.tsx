import { useText } from '../../../i18n/text.ts';
import { inputClass, Labelled } from '../../../ui/controls.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import type { useCapsuleName } from './use-capsule-name.ts';

type Props = {
  naming: ReturnType<typeof useCapsuleName>;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
  onChange: (change: { name?: string; environment?: string }) => void;
};

/** Name and environment of the Capsule, prefilled with defaults. */
export function CapsuleFields({ naming, isOpen, onToggle, onChange }: Props) {
  const t = useText();
  const { name, environment } = naming;
  const problems = {
    name: naming.problems.name && t(naming.problems.name),
    environment: naming.problems.environment && t(naming.problems.environment),
  };
  return (
    <details open={isOpen} onToggle={(event) => onToggle(event.currentTarget.open)} className="px-4 py-3">
      <summary className="cursor-pointer text-sm">
        <span className="text-muted">{t('install.capsule.as')}</span>{' '}
        <strong className="break-words">{visibleText(name)}</strong>{' '}
        <span className="text-muted">{t('install.capsule.in', { environment })}</span>
      </summary>
      <div className="mt-3 grid gap-3 sm:grid-cols-2">
        <Labelled
          id="capsule-name"
          label={t('install.capsule.name')}
          problem={problems.name}
          help={t('install.capsule.nameHelp')}
        >
          <input
            id="capsule-name"
            className={inputClass}
            value={name}
            maxLength={80}
            spellCheck={false}
            autoComplete="off"
            aria-invalid={problems.name !== undefined || undefined}
            aria-describedby="capsule-name-help"
            onChange={(event) => onChange({ name: event.target.value })}
          />
        </Labelled>
        <Labelled
          id="capsule-environment"
          label={t('install.capsule.environment')}
          problem={problems.environment}
          help={t('install.capsule.environmentHelp')}
        >
          <input
            id="capsule-environment"
            className={`${inputClass} font-mono`}
            value={environment}
            maxLength={63}
            spellCheck={false}
            autoComplete="off"
            aria-invalid={problems.environment !== undefined || undefined}
            aria-describedby="capsule-environment-help"
            onChange={(event) => onChange({ environment: event.target.value })}
          />
        </Labelled>
      </div>
    </details>
  );
}
