import { type TextId, useText } from '../i18n/text.ts';
import { Pill, type Tone } from './pill.tsx';

/** A status with its text from the catalogue. */
export function StatusBadge({ statusText }: { statusText: { text: TextId; tone: Tone } }) {
  const t = useText();
  return <Pill tone={statusText.tone}>{t(statusText.text)}</Pill>;
}
