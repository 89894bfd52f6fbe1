import { useEffect, useState, useSyncExternalStore } from 'react';
import { readLanguage } from '../i18n/text.ts';

let offsetMs = 0;
/** Set by the server's heartbeats, so that timers use the server's clock. */
export const setClockOffset = (ms: number): void => {
  offsetMs = ms;
};
export const serverNow = (): number => Date.now() + offsetMs;

const unitLabels = { en: { h: 'h', min: 'min', s: 's' }, ja: { h: '時間', min: '分', s: '秒' } } as const;

/** Formats a duration as `1 h 2 min`, `3 min 4 s`, `5.6 s`, in the language of the page. */
export function durationText(ms: number): string {
  const { h, min, s } = unitLabels[readLanguage()];
  if (ms < 10_000) return `${(Math.max(ms, 0) / 1_000).toFixed(1)} ${s}`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} ${s}`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} ${min} ${seconds % 60} ${s}`
    : `${Math.floor(minutes / 60)} ${h} ${minutes % 60} ${min}`;
}

/** A running timer while there is no end, a fixed duration after it. It ticks only while the page is visible. */
export function Elapsed({ from, to }: { from: number; to?: number | undefined }) {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (to !== undefined) return;
    const timer = setInterval(() => document.hidden || setNow(serverNow()), 250);
    return () => clearInterval(timer);
  }, [to]);
  return <span className="tabular-nums">{durationText((to ?? now) - from)}</span>;
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

const listeners = new Set<() => void>();
let pulse: ReturnType<typeof setInterval> | undefined;
let beats = 0;

/** Shared clock for all relative times of a page. It ticks while one is shown, and not in a hidden tab. */
function onBeat(listener: () => void): () => void {
  listeners.add(listener);
  pulse ??= setInterval(() => {
    if (document.hidden) return;
    beats += 1;
    for (const one of listeners) one();
  }, 15_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(pulse);
    pulse = undefined;
  };
}

/** Formats a moment as date and time to the second, in the language of the page. */
export const dateTimeText = (at: string): string =>
  new Date(at).toLocaleString(readLanguage(), { dateStyle: 'medium', timeStyle: 'medium' });

/** Time relative to now, with the exact time in a tooltip. */
export function Since({ at }: { at: string }) {
  useSyncExternalStore(onBeat, () => beats);
  const ms = Date.parse(at) - serverNow();
  const [unit, size] = units.find(([, length]) => Math.abs(ms) >= length) ?? ['second', 1_000];
  const text = new Intl.RelativeTimeFormat(readLanguage(), { numeric: 'auto' }).format(Math.round(ms / size), unit);
  return (
    <time dateTime={at} title={new Date(at).toLocaleString(readLanguage())}>
      {text}
    </time>
  );
}
