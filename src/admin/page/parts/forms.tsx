/** Forms: filters that are addresses, and actions that are posted. */
import type { ComponentChildren } from 'preact';
import { cleanText } from '../../../text/clean.ts';
import { TOKEN_FIELD } from '../../form-token.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { Link } from './text.tsx';
import { useReader, useWords } from '../use-reader.ts';

interface TextFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
  readonly placeholder?: string;
}

export function TextField({ name, label, value, problem, placeholder }: TextFieldProps) {
  return (
    <div class="field">
      <label for={`field-${name}`}>{label}</label>
      <input
        id={`field-${name}`}
        name={name}
        type="text"
        value={cleanText(value ?? '')}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `problem-${name}`}
      />
      <FieldProblem name={name} problem={problem} />
    </div>
  );
}

function FieldProblem({ name, problem }: Pick<TextFieldProps, 'name' | 'problem'>) {
  if (problem === undefined) return null;
  return (
    <small id={`problem-${name}`} class="problem">
      {problem}
    </small>
  );
}

export interface Option {
  readonly value: string;
  readonly word: string;
}

interface SelectFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly problem?: string | undefined;
  readonly options: readonly Option[];
  /** For the first one, which is none of them; undefined: there is no such. */
  readonly any: string | undefined;
}

export function SelectField({ name, label, value = '', problem, options, any }: SelectFieldProps) {
  const all = any === undefined ? options : [{ value: '', word: any }, ...options];
  return (
    <div class="field">
      <label for={`field-${name}`}>{label}</label>
      <select id={`field-${name}`} name={name}>
        {all.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.word}
          </option>
        ))}
      </select>
      <FieldProblem name={name} problem={problem} />
    </div>
  );
}

interface FilterFormProps {
  /** The path of the list, which the form asks for again. */
  readonly path: string;
  readonly label: string;
  /** Something is filtered by. */
  readonly isFiltered: boolean;
  readonly children: ComponentChildren;
}

export function FilterForm({ path, label, isFiltered, children }: FilterFormProps) {
  const words = useWords(PAGE_WORDS);
  return (
    <search>
      <form class="filters" method="get" action={path} aria-label={label}>
        {children}
        <div class="actions">
          <button type="submit">{words.apply}</button>
          {isFiltered ? <Link to={path}>{words.reset}</Link> : null}
        </div>
      </form>
    </search>
  );
}

interface PostFormProps {
  /** `/act/…` */
  readonly action: string;
  readonly label?: string;
  readonly className?: string;
  /** Where the reader comes back to; default: this page. */
  readonly back?: string;
  readonly children: ComponentChildren;
}

/** What it posts: its fields, the token that the guard checks, `nonce`, and `back`, a path of ours. */
export function PostForm({ action, label, className, back, children }: PostFormProps) {
  const reader = useReader();
  return (
    <form method="post" action={action} class={className} aria-label={label}>
      <input type="hidden" name={TOKEN_FIELD} value={reader.formToken} />
      <input type="hidden" name="nonce" value={reader.newNonce()} />
      <input type="hidden" name="back" value={back ?? reader.here} />
      {children}
    </form>
  );
}
