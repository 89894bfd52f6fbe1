import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useText } from '../i18n/text.ts';
import { type SettingsSectionId, settingsSections } from './settings-sections.ts';

/** Heading of a section of settings. It takes the focus when the address leads to it. */
export function SectionTitle({ id, className = '' }: { id: SettingsSectionId; className?: string }) {
  const t = useText();
  const heading = useRef<HTMLHeadingElement>(null);
  const isTarget = useLocation({ select: ({ hash }) => hash === id });
  useEffect(() => {
    if (!isTarget) return;
    heading.current?.scrollIntoView({ block: 'start' });
    heading.current?.focus({ preventScroll: true });
  }, [isTarget]);
  return (
    <h2 ref={heading} id={id} tabIndex={-1} className={`scroll-mt-4 font-semibold outline-offset-4 ${className}`}>
      {t(settingsSections[id].title)}
    </h2>
  );
}
