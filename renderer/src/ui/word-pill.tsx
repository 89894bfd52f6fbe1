import { type TextId, useText } from '../i18n/text.ts';
import { Pill, type Tone } from './pill.tsx';

/** A status as the catalogue says it. */
export function WordPill({ word }: { word: { text: TextId; tone: Tone } }) {
  const t = useText();
  return <Pill tone={word.tone}>{t(word.text)}</Pill>;
}
