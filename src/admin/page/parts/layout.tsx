/** The section of a view. */
import type { ComponentChildren } from 'preact';

interface SectionProps {
  readonly title?: ComponentChildren;
  /** Shown opposite the title. */
  readonly aside?: ComponentChildren;
  readonly className?: string;
  readonly children: ComponentChildren;
}

export function Section({ title, aside, className, children }: SectionProps) {
  return (
    <section class={className === undefined ? 'panel' : `panel ${className}`}>
      {title === undefined ? null : (
        <header>
          <h2>{title}</h2>
          {aside === undefined ? null : <div class="quiet">{aside}</div>}
        </header>
      )}
      {children}
    </section>
  );
}
