import { useState } from 'react';

/** A switch that the browser remembers. */
export function useKeptSwitch(key: string, fallback: boolean): [boolean, () => void] {
  const [isOn, setOn] = useState(() => {
    const kept = localStorage.getItem(key);
    return kept === null ? fallback : kept === '1';
  });
  const toggle = () => {
    localStorage.setItem(key, isOn ? '0' : '1');
    setOn(!isOn);
  };
  return [isOn, toggle];
}
