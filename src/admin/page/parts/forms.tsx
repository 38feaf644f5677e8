/** Forms: filters that are addresses, and actions that are posted. */
import type { ComponentChildren } from 'preact';
import { cleanLine, cleanText } from '../../../text/clean.ts';
import { TOKEN_FIELD } from '../../form-token.ts';
import { useReader } from '../reader.ts';
import { Link } from './text.tsx';

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
  readonly hint?: string | undefined;
  /** A day and a time are asked for. */
  readonly isTime?: boolean;
  /** What it is one of; undefined: text. */
  readonly options?: readonly (readonly [value: string, word: string])[] | undefined;
}

const TEXT = { type: 'text' } as const;
const TIME = { type: 'datetime-local' } as const;

/** A text, or a choice, with what is wrong with it beside it. */
export function Field({ name, label, value = '', problem, hint, isTime = false, options }: FieldProps) {
  const shared = {
    id: `field-${name}`,
    name,
    'aria-invalid': problem !== undefined,
    'aria-describedby': (problem ?? hint) === undefined ? undefined : `about-${name}`,
  };
  return (
    <div class="field">
      <label for={shared.id}>{label}</label>
      {options === undefined ? (
        <input
          {...shared}
          {...(isTime ? TIME : TEXT)}
          value={cleanText(value)}
          autocomplete="off"
          spellcheck={false}
          dir="auto"
        />
      ) : (
        <select {...shared}>
          {options.map(([option, word]) => (
            <option key={option} value={option} selected={option === value}>
              {word}
            </option>
          ))}
        </select>
      )}
      {(problem ?? hint) === undefined ? null : (
        <small id={`about-${name}`} class={problem === undefined ? 'quiet' : 'problem'}>
          {problem ?? hint}
        </small>
      )}
    </div>
  );
}

interface FilterFormProps {
  /** The path of the list, which the form asks for again. */
  readonly path: string;
  /** Something is filtered by. */
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
          {isFiltered ? <Link to={path}>{t('reset')}</Link> : null}
        </div>
      </form>
    </search>
  );
}

interface PostFormProps {
  /** `/act/…` */
  readonly action: string;
  /** Hidden ones. */
  readonly fields?: Readonly<Record<string, string | number>> | undefined;
  readonly className?: string;
  /** Where the reader comes back to; default: this page. */
  readonly back?: string;
  readonly children: ComponentChildren;
}

/** What it posts: its fields, the token that the guard checks, and `back`, a path of ours. */
export function PostForm({ action, fields, className, back, children }: PostFormProps) {
  const { formToken, here } = useReader();
  const hidden = { [TOKEN_FIELD]: formToken, back: back ?? here, ...fields };
  return (
    <form method="post" action={action} class={className}>
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  );
}

interface PostButtonProps extends Omit<PostFormProps, 'children' | 'className'> {
  readonly word: string;
  /** `primary`: the one that is wanted; `danger`: what cannot be undone. */
  readonly kind?: 'primary' | 'primary small' | 'danger' | 'small';
  /** What it is called where several on a page are called alike. */
  readonly label?: string;
}

/** A form of one button. */
export function PostButton({ word, kind, label, ...form }: PostButtonProps) {
  return (
    <PostForm {...form}>
      <button type="submit" class={kind} aria-label={label === undefined ? undefined : cleanLine(label)}>
        {word}
      </button>
    </PostForm>
  );
}
