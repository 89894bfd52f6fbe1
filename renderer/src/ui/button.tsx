import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';

const variants = {
  primary: 'bg-accent text-accent-ink hover:brightness-110',
  plain: 'border border-line-strong/50 bg-card text-ink hover:bg-raised',
  destructive: 'bg-bad text-card hover:brightness-110',
  quiet: 'text-accent hover:bg-accent-soft',
} as const;
type ButtonVariant = keyof typeof variants;

/** Classes of a button, for links that look like one. */
export const buttonClass = (variant: ButtonVariant = 'plain'): string =>
  `inline-flex min-h-9 cursor-pointer items-center justify-center gap-2 rounded-md px-3.5 py-1.5 font-medium transition-colors disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55 ${variants[variant]}`;

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  variant?: ButtonVariant;
  busy?: boolean;
  children: ReactNode;
  ref?: Ref<HTMLButtonElement>;
};

/** `busy` prevents a second activation and is announced. A busy button keeps the focus, so it is not disabled. */
export function Button({
  variant = 'plain',
  busy = false,
  disabled,
  children,
  type = 'button',
  className = '',
  onClick,
  ...rest
}: Props) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled}
      aria-disabled={busy || undefined}
      aria-busy={busy}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={`${buttonClass(variant)} ${className}`}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

export const Spinner = () => (
  <span
    aria-hidden="true"
    className="size-3.5 animate-spin rounded-full border-2 border-current border-t-transparent"
  />
);
