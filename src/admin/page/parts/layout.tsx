/** What every view consists of: its head, and its sections. */
import type { ComponentChildren } from 'preact';

interface HeadProps {
  readonly title: ComponentChildren;
  /** A sentence that says what is shown. */
  readonly lead?: string | undefined;
  /** Beside it: a status, an id, links. */
  readonly children?: ComponentChildren;
}

export function Head({ title, lead, children }: HeadProps) {
  return (
    <div class="head">
      <h1>{title}</h1>
      {lead === undefined ? null : <p class="lead">{lead}</p>}
      {children === undefined ? null : <div class="facts">{children}</div>}
    </div>
  );
}

interface SectionProps {
  readonly title?: ComponentChildren;
  /** Opposite its title. */
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
