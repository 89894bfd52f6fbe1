import { useState } from 'react';

/** Boolean setting stored in the browser. */
export function useStoredSwitch(key: string, fallback: boolean): [boolean, () => void] {
  const [isOn, setOn] = useState(() => {
    const stored = localStorage.getItem(key);
    return stored === null ? fallback : stored === '1';
  });
  const toggle = () => {
    localStorage.setItem(key, isOn ? '0' : '1');
    setOn(!isOn);
  };
  return [isOn, toggle];
}
