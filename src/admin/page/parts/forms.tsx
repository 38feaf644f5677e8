/** Forms: filters by GET, and actions by POST. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { cleanText } from '../../../text/clean.ts';
import { useReader } from '../reader.ts';

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  /** Describes the valid values. */
  readonly hint?: string | undefined;
  /** Default: a text. */
  readonly type?: 'datetime-local' | 'date';
  /** The choices; undefined for a text field. */
  readonly options?: readonly (readonly [value: string, word: string])[] | undefined;
}

const TEXT = { type: 'text', autocomplete: 'off', spellcheck: false, dir: 'auto' } as const;

/** A text field or a choice, with its hint. */
export function Field({ name, label, value = '', hint, type, options }: FieldProps) {
  // A page may have several forms with this field.
  const id = useId();
  const aboutId = hint === undefined ? undefined : `${id}-hint`;
  const shared = { id, name, 'aria-describedby': aboutId };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {options === undefined ? (
        <input {...shared} {...(type === undefined ? TEXT : { type })} value={cleanText(value)} />
      ) : (
        <select {...shared}>
          {options.map(([option, word]) => (
            <option key={option} value={option} selected={option === value}>
              {word}
            </option>
          ))}
        </select>
      )}
      {aboutId === undefined ? null : (
        <small id={aboutId} class="quiet">
          {hint}
        </small>
      )}
    </div>
  );
}

interface FilterFormProps {
  /** The list's path, which the form requests. */
  readonly path: string;
  /** Whether a filter is set. */
  readonly isFiltered: boolean;
  readonly children: ComponentChildren;
}

export function FilterForm({ path, isFiltered, children }: FilterFormProps) {
  const { t } = useReader();
  return (
    <search>
      <form class="filters" method="get" action={path} aria-label={t('filters')}>
        {children}
        <div class="actions">
          <button type="submit">{t('apply')}</button>
          {isFiltered ? <a href={path}>{t('reset')}</a> : null}
        </div>
      </form>
    </search>
  );
}

interface PostFormProps {
  /** `/act/…` */
  readonly action: string;
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string | number>>;
  readonly className?: string;
  /** The words of a button below the form's content. */
  readonly submit?: string;
  readonly children: ComponentChildren;
}

/** Also posts this page's path as `back`, to which the answer redirects; `fields` may replace it. */
export function PostForm({ action, fields, className, submit, children }: PostFormProps) {
  const { here } = useReader();
  const hidden = { back: here, ...fields };
  return (
    <form method="post" action={action} class={className}>
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      {submit === undefined ? null : (
        <div class="actions">
          <button type="submit" class="primary">
            {submit}
          </button>
        </div>
      )}
    </form>
  );
}

interface PostButtonProps extends Omit<PostFormProps, 'children' | 'submit'> {
  readonly word: string;
  /** `primary`: the most likely choice. */
  readonly kind?: 'primary small' | 'small';
}

/** A form of one button. */
export function PostButton({ word, kind, ...form }: PostButtonProps) {
  return (
    <PostForm {...form}>
      <button type="submit" class={kind}>
        {word}
      </button>
    </PostForm>
  );
}
