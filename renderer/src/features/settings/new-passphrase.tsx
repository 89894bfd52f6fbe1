import { useId } from 'react';
import { isLongPassphrase } from '#shared/keys/passphrase';
import { passphraseMinCharacters } from '#shared/limits';
import { useText } from '../../i18n/text.ts';
import { Labelled, SecretInput } from '../../ui/controls.tsx';

type Typed = { first: string; second: string };
type Problems = { first?: 'vault.passphrase.short'; second?: 'vault.passphrase.differs' };

export const problemsOf = ({ first, second }: Typed): Problems => ({
  ...(!isLongPassphrase(first) && { first: 'vault.passphrase.short' }),
  ...(first !== second && { second: 'vault.passphrase.differs' }),
});

const labelsOf = {
  vault: { first: 'vault.passphrase.new', second: 'vault.passphrase.again' },
  kit: { first: 'kit.passphrase', second: 'kit.passphrase.again' },
} as const;

type PassphraseProps = {
  of: keyof typeof labelsOf;
  typed: Typed;
  problems: Problems;
  onChange: (typed: Typed) => void;
};

/** Two fields for a new passphrase. Their labels differ by what it opens, because one page has both. */
export function NewPassphrase({ of, typed, problems, onChange }: PassphraseProps) {
  const t = useText();
  const id = useId();
  const fields = [
    {
      name: 'first',
      label: t(labelsOf[of].first),
      help: t('vault.passphrase.help', { least: passphraseMinCharacters }),
    },
    { name: 'second', label: t(labelsOf[of].second), help: undefined },
  ] as const;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {fields.map(({ name, label, help }) => {
        const problem = problems[name];
        return (
          <Labelled
            key={name}
            id={`${id}-${name}`}
            label={label}
            help={help}
            problem={problem && t(problem, { least: passphraseMinCharacters })}
          >
            <SecretInput
              id={`${id}-${name}`}
              isLong={false}
              what={label}
              value={typed[name]}
              onText={(text) => onChange({ ...typed, [name]: text })}
              aria-invalid={problem !== undefined || undefined}
              aria-describedby={`${id}-${name}-help`}
            />
          </Labelled>
        );
      })}
    </div>
  );
}
