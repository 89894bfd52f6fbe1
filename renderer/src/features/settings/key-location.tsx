import type { KeySourceName, VaultStatus } from '#shared/keys/contract';
import { SectionTitle } from '../../components/section-title.tsx';
import { type TextId, useText } from '../../i18n/text.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { Card } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Texts for the places where a key can be stored. */
export const keySourceTexts: Readonly<Record<KeySourceName, { name: TextId; text: TextId; backup: TextId }>> = {
  keychain: { name: 'vault.keychain', text: 'vault.keychain.text', backup: 'vault.keychain.backup' },
  file: { name: 'vault.file', text: 'vault.file.text', backup: 'vault.file.backup' },
  passphrase: { name: 'vault.passphrase', text: 'vault.passphrase.text', backup: 'vault.passphrase.backup' },
};

/** Location of the vault's key, and what that means for copies and backups. */
export function KeyLocation({ vault }: { vault: VaultStatus }) {
  const t = useText();
  const { keySource, place: keyLocation, keyId, keyMadeAt: keyCreatedAt } = vault;
  if (keySource === undefined) return null;
  const texts = keySourceTexts[keySource];
  const facts: (Fact | false)[] = [
    { term: t('vault.place'), value: t(texts.name) },
    keySource !== 'passphrase' &&
      keyLocation !== undefined && {
        term: t(`vault.place.${keySource}`),
        value: <LocationText keyLocation={keyLocation} />,
      },
    keyCreatedAt !== undefined && { term: t('vault.made'), value: <Since at={keyCreatedAt} /> },
    keyId !== undefined && {
      term: t('vault.keyId'),
      value: <ShortId id={keyId} what={t('vault.keyId')} length={14} />,
    },
  ];
  return (
    <Card>
      <SectionTitle id="key" className="border-b border-line px-4 py-2.5" />
      <Facts items={facts.filter((fact) => fact !== false)} />
      <div className="flex flex-col gap-2 border-t border-line px-4 py-3 text-muted">
        <p>{t('vault.what')}</p>
        <p>{t(texts.text)}</p>
        <p>{t(texts.backup)}</p>
      </div>
    </Card>
  );
}

function LocationText({ keyLocation }: { keyLocation: string }) {
  const t = useText();
  return (
    <span className="flex items-start gap-1">
      <code className="min-w-0 font-mono text-[0.93em] break-all">{visibleText(keyLocation)}</code>
      <CopyButton text={keyLocation} what={t('vault.place')} />
    </span>
  );
}
