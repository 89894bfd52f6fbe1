let isPressed = false;
const press = () => {
  isPressed = true;
};
const release = () => {
  isPressed = false;
};
window.addEventListener('pointerdown', press, true);
window.addEventListener('pointerup', release, true);
window.addEventListener('pointercancel', release, true);

/** Runs an action now, or when the pointer is released: a layout change in between would move the click target. */
export function afterPress(act: () => void): void {
  if (!isPressed) {
    act();
    return;
  }
  const controller = new AbortController();
  const later = () => {
    controller.abort();
    setTimeout(act);
  };
  window.addEventListener('pointerup', later, { signal: controller.signal });
  window.addEventListener('pointercancel', later, { signal: controller.signal });
}
